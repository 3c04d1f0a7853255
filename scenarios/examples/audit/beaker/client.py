# SPDX-License-Identifier: MIT
#
# Beaker's lock on Redis, which its caches and sessions take while they create or change a value.
import os

import redis
from beaker.ext.redisnm import RedisSynchronizer

server = redis.Redis.from_url(os.environ["REDIS_URL"])
lock = RedisSynchronizer("stock", server)
lock.acquire_write_lock()
server.execute_command("INTERLOCK.ENTER", "stock")
# ... create ...
server.execute_command("INTERLOCK.LEAVE", "stock")
lock.release_write_lock()
