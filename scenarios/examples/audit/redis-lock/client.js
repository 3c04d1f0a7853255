// SPDX-License-Identifier: MIT
//
// redis-lock with its defaults but for a shorter lock.
const { createClient } = require("redis");

async function main() {
  const server = createClient({ url: process.env.REDIS_URL });
  server.on("error", () => {});
  const lock = require("redis-lock")(server);
  await server.connect();
  for (let round = 0; round < 2; ++round) {
    const done = await lock("stock", 1000);
    await server.sendCommand(["INTERLOCK.ENTER", "stock"]);
    // ... take something out of stock ...
    await server.sendCommand(["INTERLOCK.LEAVE", "stock"]);
    await done();
  }
  await server.quit();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
