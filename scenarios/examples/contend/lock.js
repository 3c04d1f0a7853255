// SPDX-License-Identifier: MIT
//
// A lock by hand on node-redis, as its documentation's SET with NX and a script that compares before
// it deletes make it. For `interlock contend --redis spawn -- node lock.js`.
const { randomUUID } = require("node:crypto");
const { createClient } = require("redis");

const kRelease =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

async function main() {
  const server = createClient({ url: process.env.REDIS_URL });
  await server.connect();
  for (;;) {
    const token = randomUUID();
    while ((await server.set("lock:stock", token, { NX: true, PX: 10_000 })) === null) {
      await new Promise((resume) => setTimeout(resume, 10));
    }
    await server.sendCommand(["INTERLOCK.ENTER", "stock"]);
    await server.sendCommand(["INTERLOCK.LEAVE", "stock"]);
    await server.eval(kRelease, { keys: ["lock:stock"], arguments: [token] });
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
