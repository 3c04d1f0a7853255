# SPDX-License-Identifier: MIT
#
# redis-py's Lock, as a context manager.
import os

import redis
from redis.exceptions import LockError

server = redis.Redis.from_url(os.environ["REDIS_URL"])
for _ in range(2):
    try:
        with server.lock("lock:stock", timeout=1, sleep=0.05):
            server.execute_command("INTERLOCK.ENTER", "stock")
            # ... take something out of stock ...
            server.execute_command("INTERLOCK.LEAVE", "stock")
    except LockError:
        pass  # its time had run out before the release
