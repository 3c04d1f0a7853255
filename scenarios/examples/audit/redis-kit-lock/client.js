// SPDX-License-Identifier: MIT
//
// @redis-kit/lock over one server (over three with --masters 3).
const { createClient } = require("redis");
const { Redlock } = require("@redis-kit/lock");

async function main() {
  const servers = process.env.REDIS_URLS.split(",").map((url) => createClient({ url }));
  for (const server of servers) server.on("error", () => {});
  await Promise.all(servers.map((server) => server.connect()));
  const redlock = new Redlock(servers, { maxRetryAttempts: 100, retryDelayMs: 50 });
  for (let round = 0; round < 2; ++round) {
    await redlock.withLock("stock", 1000, async () => {
      await servers[0].sendCommand(["INTERLOCK.ENTER", "stock"]);
      // ... take something out of stock ...
      await servers[0].sendCommand(["INTERLOCK.LEAVE", "stock"]);
    });
  }
  await Promise.all(servers.map((server) => server.quit()));
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
