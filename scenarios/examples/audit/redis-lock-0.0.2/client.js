// SPDX-License-Identifier: MIT
//
// The first redis-lock: the time in the lock's value is when it ends.
const { promisify } = require("node:util");
const redis = require("redis");

const server = redis.createClient(process.env.REDIS_URL);
const send = promisify(server.send_command).bind(server);
const lock = require("redis-lock")(server);

function round(left) {
  if (left === 0) return server.quit();
  lock("stock", 1000, async (done) => {
    await send("INTERLOCK.ENTER", ["stock"]);
    // ... take something out of stock ...
    await send("INTERLOCK.LEAVE", ["stock"]);
    done(() => round(left - 1));
  });
}

round(2);
