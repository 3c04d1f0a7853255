# SPDX-License-Identifier: MIT
#
# redis-py's own Lock under contention. For `interlock contend --redis spawn -- python3 lock.py`: the
# client goes on until it is killed, and INTERLOCK.ENTER answers when the section's time is over.
import os

import redis

server = redis.Redis.from_url(os.environ["REDIS_URL"])
lock = server.lock("lock:stock", timeout=10)
while True:
    with lock:
        server.execute_command("INTERLOCK.ENTER", "stock")
        server.execute_command("INTERLOCK.LEAVE", "stock")
