// SPDX-License-Identifier: MIT
//
// An early node-redis-warlock, whose owner is the time at which it asked.
const { promisify } = require("node:util");
const redis = require("redis");
const Warlock = require("node-redis-warlock");

async function main() {
  const server = redis.createClient(process.env.REDIS_URL);
  const send = promisify(server.send_command).bind(server);
  const lock = promisify(Warlock(server).lock);
  for (let round = 0; round < 2; ++round) {
    let unlock = false;
    while (!(unlock = await lock("stock", 1000))) {
      await new Promise((resume) => setTimeout(resume, 50));
    }
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
