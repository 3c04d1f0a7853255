# SPDX-License-Identifier: MIT
#
# A semaphore of two permits in a sorted set, whose scores are when permits end: by the clients' own
# clocks. Who asks removes what has ended by its clock; if that is ahead, these are others' permits.
# For `interlock drive --clients 3 --permits 2 -- python3 permits.py`, which sets a clock ahead.
import os
import time
import uuid

import redis

ACQUIRE = """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= 2 then return 0 end
return redis.call('ZADD', KEYS[1], ARGV[2] + ARGV[3], ARGV[1])
"""

server = redis.Redis.from_url(os.environ["REDIS_URL"])
acquire = server.register_script(ACQUIRE)
me = str(uuid.uuid4())
for _ in range(2):
    while not acquire(keys=["permits:stock"], args=[me, int(time.time() * 1000), 10_000]):
        time.sleep(0.05)
    server.execute_command("INTERLOCK.ENTER", "stock")
    time.sleep(1)  # ... take something out of stock ...
    server.execute_command("INTERLOCK.LEAVE", "stock")
    server.zrem("permits:stock", me)
