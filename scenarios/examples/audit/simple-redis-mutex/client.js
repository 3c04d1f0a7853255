// SPDX-License-Identifier: MIT
//
// simple-redis-mutex: waiters hear of a release by a message, and poll beside that.
const { createClient } = require("redis");
const { lock } = require("simple-redis-mutex");

async function main() {
  const server = createClient({ url: process.env.REDIS_URL });
  server.on("error", () => {});
  await server.connect();
  for (let round = 0; round < 2; ++round) {
    const release = await lock(server, "stock", { timeout: 1000, pollingInterval: 500 });
    await server.sendCommand(["INTERLOCK.ENTER", "stock"]);
    // ... take something out of stock ...
    await server.sendCommand(["INTERLOCK.LEAVE", "stock"]);
    await release();
  }
  await server.quit();
}

main()
  .then(() => process.exit(0))
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
