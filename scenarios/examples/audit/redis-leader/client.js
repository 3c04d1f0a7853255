// SPDX-License-Identifier: MIT
//
// redis-leader: who is elected leads for a while, and gives it back.
const { once } = require("node:events");
const { promisify } = require("node:util");
const redis = require("redis");
const Leader = require("redis-leader");

async function main() {
  const server = redis.createClient(process.env.REDIS_URL);
  const send = promisify(server.send_command).bind(server);
  for (let round = 0; round < 2; ++round) {
    const leader = new Leader(server, { ttl: 1000, wait: 100, key: "stock" });
    const elected = once(leader, "elected");
    leader.elect();
    await elected;
    await send("INTERLOCK.ENTER", ["stock"]);
    // ... lead ...
    await send("INTERLOCK.LEAVE", ["stock"]);
    leader.stop();
    await new Promise((resume) => setTimeout(resume, 10));
  }
  server.quit();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
