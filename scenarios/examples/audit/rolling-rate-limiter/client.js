// SPDX-License-Identifier: MIT
//
// rolling-rate-limiter as a semaphore: two actions in ten seconds, each of which takes two. Blocked
// actions count, so that a client asks first whether it would be blocked.
const Redis = require("ioredis");
const { RedisRateLimiter } = require("rolling-rate-limiter");

const sleep = (ms) => new Promise((resume) => setTimeout(resume, ms));

async function main() {
  const client = new Redis(process.env.REDIS_URL);
  const limiter = new RedisRateLimiter({
    client,
    namespace: "rate-limiter:",
    interval: 10_000,
    maxInInterval: 2,
  });
  for (let left = 2; left > 0; ) {
    const { blocked, millisecondsUntilAllowed } = await limiter.wouldLimitWithInfo("stock");
    if (blocked) await sleep(millisecondsUntilAllowed);
    if (blocked || (await limiter.limit("stock"))) continue;
    await client.call("INTERLOCK.ENTER", "stock");
    await sleep(2_000); // ... take something out of stock ...
    await client.call("INTERLOCK.LEAVE", "stock");
    --left;
  }
  await client.quit();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
