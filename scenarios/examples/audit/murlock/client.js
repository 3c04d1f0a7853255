// SPDX-License-Identifier: MIT
//
// murlock in blocking mode: waiters try again every 50 ms.
require("reflect-metadata");
const { Module } = require("@nestjs/common");
const { NestFactory } = require("@nestjs/core");
const { MurLockModule, MurLockService } = require("murlock");
const { createClient } = require("redis");

class AppModule {}
const redisOptions = { url: process.env.REDIS_URL };
Module({
  imports: [MurLockModule.forRoot({ redisOptions, wait: 50, logLevel: "error", blocking: true })],
})(AppModule);

async function main() {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  const server = createClient(redisOptions);
  server.on("error", () => {});
  await server.connect();
  for (let round = 0; round < 2; ++round) {
    await app.get(MurLockService).runWithLock("stock", 1000, async () => {
      await server.sendCommand(["INTERLOCK.ENTER", "stock"]);
      // ... take something out of stock ...
      await server.sendCommand(["INTERLOCK.LEAVE", "stock"]);
    });
  }
  await server.quit();
  await app.close();
}

main()
  .then(() => process.exit(0))
  .catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
