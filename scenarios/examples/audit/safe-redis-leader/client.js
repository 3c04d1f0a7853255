// SPDX-License-Identifier: MIT
//
// safe-redis-leader: who is elected leads for a while, and gives it back.
const { once } = require("node:events");
const Redis = require("ioredis");
const { createSafeRedisLeader } = require("safe-redis-leader");

async function main() {
  const asyncRedis = new Redis(process.env.REDIS_URL);
  for (let round = 0; round < 2; ++round) {
    const leader = await createSafeRedisLeader({ asyncRedis, ttl: 1000, wait: 100, key: "stock" });
    const elected = once(leader, "elected");
    await leader.elect();
    await elected;
    await asyncRedis.call("INTERLOCK.ENTER", "stock");
    // ... lead ...
    await asyncRedis.call("INTERLOCK.LEAVE", "stock");
    await leader.shutdown();
  }
  await asyncRedis.quit();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
