# SPDX-License-Identifier: MIT
#
# A lock whose lease is a time in its value, as it was done before SET had options: whoever finds
# it passed takes the lock over by GETSET. Its release looks at the clock, and not at the lock. For
# `interlock drive -- python3 stamp.py`, which leads that clock past the lease in between.
import os
import time

import redis

server = redis.Redis.from_url(os.environ["REDIS_URL"])


def acquire():
    while True:
        until = time.time() + 10
        if server.setnx("lock:stock", until):
            return until
        seen = server.get("lock:stock")
        if seen is not None and float(seen) < time.time():
            before = server.getset("lock:stock", until)
            if before is None or float(before) < time.time():
                return until
        time.sleep(0.1)


for _ in range(2):
    until = acquire()
    server.execute_command("INTERLOCK.ENTER", "stock")
    # ... take something out of stock ...
    server.execute_command("INTERLOCK.LEAVE", "stock")
    if time.time() < until:
        server.delete("lock:stock")
