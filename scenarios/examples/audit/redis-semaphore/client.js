// SPDX-License-Identifier: MIT
//
// The Mutex of redis-semaphore, which refreshes its lock while it is held.
const Redis = require("ioredis");
const { Mutex } = require("redis-semaphore");

async function main() {
  const server = new Redis(process.env.REDIS_URL);
  for (let round = 0; round < 2; ++round) {
    const mutex = new Mutex(server, "stock", {
      lockTimeout: 1000,
      acquireTimeout: 30000,
      onLockLost: () => {},
    });
    await mutex.acquire();
    try {
      await server.call("INTERLOCK.ENTER", "stock");
      // ... take something out of stock ...
      await server.call("INTERLOCK.LEAVE", "stock");
    } finally {
      await mutex.release();
    }
  }
  await server.quit();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
