// SPDX-License-Identifier: MIT
//
// redis-promise-lock, which tries again every 100 ms.
const { createClient } = require("redis");
const { Lock } = require("redis-promise-lock");

async function main() {
  const server = createClient({ url: process.env.REDIS_URL });
  server.on("error", () => {});
  await server.connect();
  const lock = new Lock(server, { retryLimit: 100 });
  for (let round = 0; round < 2; ++round) {
    await lock.acquireLock("stock");
    await server.sendCommand(["INTERLOCK.ENTER", "stock"]);
    // ... take something out of stock ...
    await server.sendCommand(["INTERLOCK.LEAVE", "stock"]);
    await lock.releaseLock("stock");
  }
  await server.quit();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
