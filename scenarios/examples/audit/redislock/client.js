// SPDX-License-Identifier: MIT
//
// redislock, which tries again every 50 ms.
const { promisify } = require("node:util");
const redis = require("redis");
const { createLock, LockReleaseError } = require("redislock");

async function main() {
  const server = redis.createClient(process.env.REDIS_URL);
  const send = promisify(server.send_command).bind(server);
  for (let round = 0; round < 2; ++round) {
    const lock = createLock(server, { timeout: 1000, retries: 100, delay: 50 });
    await lock.acquire("app:stock:lock");
    await send("INTERLOCK.ENTER", ["stock"]);
    // ... take something out of stock ...
    await send("INTERLOCK.LEAVE", ["stock"]);
    await lock.release().catch(LockReleaseError, () => {}); // it had expired
  }
  server.quit();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
