// SPDX-License-Identifier: MIT
//
// node-redisson's lock, which a watchdog renews while it is held.
const Redis = require("ioredis");
const { Redisson } = require("node-redisson");

async function main() {
  const { hostname: host, port } = new URL(process.env.REDIS_URL);
  const server = new Redis(process.env.REDIS_URL);
  const redisson = new Redisson({ redis: { options: { host, port: Number(port) } } });
  for (let round = 0; round < 2; ++round) {
    const lock = redisson.getLock("Example:stock");
    await lock.lock();
    await server.call("INTERLOCK.ENTER", "stock");
    // ... take something out of stock ...
    await server.call("INTERLOCK.LEAVE", "stock");
    await lock.unlock();
  }
}

main()
  .then(() => process.exit(0))
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
