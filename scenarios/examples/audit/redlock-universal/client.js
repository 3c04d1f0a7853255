// SPDX-License-Identifier: MIT
//
// redlock-universal's lock on one server; `using` extends it while the routine runs.
const Redis = require("ioredis");
const { createLock, IoredisAdapter } = require("redlock-universal");

async function main() {
  const server = new Redis(process.env.REDIS_URL);
  const lock = createLock({
    adapter: new IoredisAdapter(server),
    key: "stock",
    ttl: 1000,
    retryAttempts: 100,
    retryDelay: 50,
  });
  for (let round = 0; round < 2; ++round) {
    await lock.using(async (signal) => {
      if (signal.aborted) throw new Error("lock lost");
      await server.call("INTERLOCK.ENTER", "stock");
      // ... take something out of stock ...
      await server.call("INTERLOCK.LEAVE", "stock");
    });
  }
  await server.quit();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
