# SPDX-License-Identifier: MIT
#
# The semaphore of permits.py by one clock for all, the server's. For
# `interlock drive --clients 3 --permits 2 -- python3 permits_server_time.py`, which finds nothing.
import os
import time
import uuid

import redis

ACQUIRE = """
local now = redis.call('TIME')
local now_ms = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms)
if redis.call('ZCARD', KEYS[1]) >= 2 then return 0 end
return redis.call('ZADD', KEYS[1], now_ms + ARGV[2], ARGV[1])
"""

server = redis.Redis.from_url(os.environ["REDIS_URL"])
acquire = server.register_script(ACQUIRE)
me = str(uuid.uuid4())
for _ in range(2):
    while not acquire(keys=["permits:stock"], args=[me, 10_000]):
        time.sleep(0.05)
    server.execute_command("INTERLOCK.ENTER", "stock")
    time.sleep(1)  # ... take something out of stock ...
    server.execute_command("INTERLOCK.LEAVE", "stock")
    server.zrem("permits:stock", me)
