// SPDX-License-Identifier: MIT
//
// node-redis-warlock, which tries again by itself (`optimistic`).
const { promisify } = require("node:util");
const redis = require("redis");
const Warlock = require("node-redis-warlock");

async function main() {
  const server = redis.createClient(process.env.REDIS_URL);
  const send = promisify(server.send_command).bind(server);
  const warlock = Warlock(server);
  const lock = promisify(warlock.optimistic);
  for (let round = 0; round < 2; ++round) {
    const unlock = await lock("stock", 1000, 100, 50);
    await send("INTERLOCK.ENTER", ["stock"]);
    // ... take something out of stock ...
    await send("INTERLOCK.LEAVE", ["stock"]);
    await promisify(unlock)();
  }
  server.quit();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
