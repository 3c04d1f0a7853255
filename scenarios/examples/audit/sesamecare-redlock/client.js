// SPDX-License-Identifier: MIT
//
// @sesamecare-oss/redlock: `using` extends the lock by itself while the routine runs.
const Redis = require("ioredis");
const { Redlock } = require("@sesamecare-oss/redlock");

async function main() {
  const servers = process.env.REDIS_URLS.split(",").map((url) => new Redis(url));
  const redlock = new Redlock(servers, { retryCount: 100, retryDelay: 50, retryJitter: 20 });
  redlock.on("error", () => {}); // a minority of servers may fail
  for (let round = 0; round < 2; ++round) {
    await redlock.using(["locks:stock"], 1000, async (signal) => {
      if (signal.aborted) throw signal.error;
      await servers[0].call("INTERLOCK.ENTER", "stock");
      // ... take something out of stock ...
      await servers[0].call("INTERLOCK.LEAVE", "stock");
    });
  }
  await Promise.all(servers.map((server) => server.quit()));
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
