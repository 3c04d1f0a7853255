// SPDX-License-Identifier: MIT
//
// ioredfour: waiters hear of a release by a message, or look when the lock ends.
const Redis = require("ioredis");
const Lock = require("ioredfour");

async function main() {
  const server = new Redis(process.env.REDIS_URL);
  const lock = new Lock({ redis: server, namespace: "mylock" });
  for (let round = 0; round < 2; ++round) {
    const held = await lock.waitAcquireLock("stock", 1000, 30 * 1000);
    if (!held.success) throw new Error("not acquired");
    await server.call("INTERLOCK.ENTER", "stock");
    // ... take something out of stock ...
    await server.call("INTERLOCK.LEAVE", "stock");
    await lock.releaseLock(held);
  }
}

main()
  .then(() => process.exit(0))
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
