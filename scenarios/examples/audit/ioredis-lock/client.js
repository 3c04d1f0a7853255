// SPDX-License-Identifier: MIT
//
// ioredis-lock, which tries again every 50 ms.
const Redis = require("ioredis");
const { createLock, LockReleaseError } = require("ioredis-lock");

async function main() {
  const server = new Redis(process.env.REDIS_URL);
  for (let round = 0; round < 2; ++round) {
    const lock = createLock(server, { timeout: 1000, retries: 100, delay: 50 });
    await lock.acquire("app:stock:lock");
    await server.call("INTERLOCK.ENTER", "stock");
    // ... take something out of stock ...
    await server.call("INTERLOCK.LEAVE", "stock");
    await lock.release().catch(LockReleaseError, () => {}); // it had expired
  }
  await server.quit();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
