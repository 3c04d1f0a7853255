// SPDX-License-Identifier: MIT
//
// redfour: waiters hear of a release by a message, or look when the lock ends.
const { promisify } = require("node:util");
const redis = require("redis");
const Lock = require("redfour");

async function main() {
  const server = redis.createClient(process.env.REDIS_URL);
  const send = promisify(server.send_command).bind(server);
  const lock = new Lock({ redis: process.env.REDIS_URL, namespace: "mylock" });
  const acquire = promisify(lock.waitAcquireLock).bind(lock);
  const release = promisify(lock.releaseLock).bind(lock);
  for (let round = 0; round < 2; ++round) {
    const held = await acquire("stock", 1000, 30 * 1000);
    if (!held.success) throw new Error("not acquired");
    await send("INTERLOCK.ENTER", ["stock"]);
    // ... take something out of stock ...
    await send("INTERLOCK.LEAVE", ["stock"]);
    await release(held);
  }
}

main()
  .then(() => process.exit(0))
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
