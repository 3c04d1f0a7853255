# SPDX-License-Identifier: MIT
#
# The Lock of redis.asyncio, as a context manager.
import asyncio
import os

from redis import asyncio as redis
from redis.exceptions import LockError


async def main():
    server = redis.Redis.from_url(os.environ["REDIS_URL"])
    for _ in range(2):
        try:
            async with server.lock("lock:stock", timeout=1, sleep=0.05):
                await server.execute_command("INTERLOCK.ENTER", "stock")
                # ... take something out of stock ...
                await server.execute_command("INTERLOCK.LEAVE", "stock")
        except LockError:
            pass  # its time had run out before the release
    await server.close()


asyncio.run(main())
