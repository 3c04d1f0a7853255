# SPDX-License-Identifier: MIT
#
# redis-py's own Lock, as it is. For `interlock drive -- python3 lock.py`, which finds nothing.
import os

import redis
from redis.exceptions import LockError

server = redis.Redis.from_url(os.environ["REDIS_URL"])
for _ in range(2):
    lock = server.lock("lock:stock", timeout=0.5, sleep=0.01)
    lock.acquire()
    server.execute_command("INTERLOCK.ENTER", "stock")
    # ... take something out of stock ...
    server.execute_command("INTERLOCK.LEAVE", "stock")
    try:
        lock.release()
    except LockError:
        pass  # its time had run out; it says so, and leaves the next one's lock alone
