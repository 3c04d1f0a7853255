// SPDX-License-Identifier: MIT
//
// Medusa's locking provider on Redis: `execute` holds the lock while the job runs. A client that
// has waited for two seconds in vain tries again.
const Redis = require("ioredis");
const { RedisLockingProvider } = require("@medusajs/locking-redis/dist/services/redis-lock");

async function main() {
  const redisClient = new Redis(process.env.REDIS_URL);
  const locking = new RedisLockingProvider({ redisClient }, {});
  let left = 2;
  const takeOut = async () => {
    await redisClient.call("INTERLOCK.ENTER", "stock");
    // ... take something out of stock ...
    await redisClient.call("INTERLOCK.LEAVE", "stock");
    --left;
  };
  while (left > 0) await locking.execute("stock", takeOut, { timeout: 2, expire: 2 }).catch(() => {});
}

main()
  .then(() => process.exit(0))
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
