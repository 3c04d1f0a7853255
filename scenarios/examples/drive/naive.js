// SPDX-License-Identifier: MIT
//
// A lock that knows whose it is, and looks before it removes it; between the two it can become
// somebody else's. For `interlock drive -- node naive.js`, which finds that out.
const { randomUUID } = require("node:crypto");
const { createClient } = require("redis");

async function main() {
  const server = createClient({ url: process.env.REDIS_URL });
  await server.connect();
  for (let round = 0; round < 2; ++round) {
    const token = randomUUID();
    while ((await server.set("lock:stock", token, { NX: true, PX: 500 })) === null) {
      await new Promise((resume) => setTimeout(resume, 10));
    }
    await server.sendCommand(["INTERLOCK.ENTER", "stock"]);
    // ... take something out of stock ...
    await server.sendCommand(["INTERLOCK.LEAVE", "stock"]);
    if ((await server.get("lock:stock")) === token) await server.del("lock:stock");
  }
  await server.quit();
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
