// SPDX-License-Identifier: MIT
//
// Workers of a bull queue: a job is locked while it is processed.
const Queue = require("bull");
const Redis = require("ioredis");

async function main() {
  const server = new Redis(process.env.REDIS_URL);
  const queue = new Queue("stock", process.env.REDIS_URL);
  queue.process(async (job) => {
    await server.call("INTERLOCK.ENTER", job.id);
    // ... take something out of stock ...
    await server.call("INTERLOCK.LEAVE", job.id);
  });
  for (const jobId of ["first", "second"]) {
    const job = await queue.add({}, { jobId });
    await job.finished().catch(() => {}); // it has failed
  }
  await queue.close();
  await server.quit();
}

main()
  .then(() => process.exit(0))
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
