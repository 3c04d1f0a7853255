// SPDX-License-Identifier: MIT
//
// The Mutex of redis-semaphore (npm install redis-semaphore ioredis) as it is by default. For
// `interlock contend --redis spawn -- node semaphore.js`.
const Redis = require("ioredis");
const { Mutex } = require("redis-semaphore");

async function main() {
  const server = new Redis(process.env.REDIS_URL);
  const mutex = new Mutex(server, "stock", { acquireTimeout: 600_000 });
  for (;;) {
    await mutex.acquire();
    await server.call("INTERLOCK.ENTER", "stock");
    await server.call("INTERLOCK.LEAVE", "stock");
    await mutex.release();
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
