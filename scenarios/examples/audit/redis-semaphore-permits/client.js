// SPDX-License-Identifier: MIT
//
// The Semaphore of redis-semaphore with two permits, for three clients.
const Redis = require("ioredis");
const { Semaphore } = require("redis-semaphore");

async function main() {
  const server = new Redis(process.env.REDIS_URL);
  for (let round = 0; round < 2; ++round) {
    const semaphore = new Semaphore(server, "stock", 2, {
      lockTimeout: 5000,
      acquireTimeout: 30000,
      retryInterval: 50,
      onLockLost: () => {},
    });
    await semaphore.acquire();
    try {
      await server.call("INTERLOCK.ENTER", "stock");
      await new Promise((resume) => setTimeout(resume, 100)); // ... take something out of stock ...
      await server.call("INTERLOCK.LEAVE", "stock");
    } finally {
      await semaphore.release();
    }
  }
  await server.quit();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
