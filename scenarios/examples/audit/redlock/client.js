// SPDX-License-Identifier: MIT
//
// redlock, promise style, over one server (over three with --masters 3).
const Redis = require("ioredis");
const Redlock = require("redlock");

async function main() {
  const servers = process.env.REDIS_URLS.split(",").map((url) => new Redis(url));
  const redlock = new Redlock(servers, { retryCount: 100, retryDelay: 50, retryJitter: 20 });
  redlock.on("clientError", () => {}); // a minority of servers may fail
  for (let round = 0; round < 2; ++round) {
    const lock = await redlock.lock("locks:stock", 1000);
    await servers[0].call("INTERLOCK.ENTER", "stock");
    // ... take something out of stock ...
    await servers[0].call("INTERLOCK.LEAVE", "stock");
    await lock.unlock().catch(() => {}); // it will expire
  }
  await Promise.all(servers.map((server) => server.quit()));
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
