// SPDX-License-Identifier: MIT
//
// What the locking provider uses of Medusa's framework, which loads for seconds: two helpers that
// know nothing of locks.
async function promiseAll(promises) {
  const failed = (await Promise.allSettled(promises)).find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
  return Promise.all(promises);
}

class MedusaError extends Error {
  static Types = { CONFLICT: "conflict" };
  constructor(type, message) {
    super(message);
    this.type = type;
  }
}

module.exports = { MedusaError, promiseAll };
