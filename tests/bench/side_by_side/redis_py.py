# SPDX-License-Identifier: MIT
"""redis-py's own Lock in the comparison: python3 redis_py.py lock URL START_NS SECONDS HOLD_US."""
import sys
import time

import redis

url, start, seconds, hold = sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
server = redis.Redis.from_url(url)


def stay_until(ns):
    while time.monotonic_ns() < ns:
        time.sleep(0)


turns = []
with server.lock("side-by-side", timeout=30):
    pass
stay_until(start)
end = start + int(seconds * 1e9)
while time.monotonic_ns() < end:
    lock = server.lock("side-by-side", timeout=30)
    turns.append(time.monotonic_ns())
    lock.acquire()
    turns.append(time.monotonic_ns())
    stay_until(turns[-1] + hold * 1000)
    turns.append(time.monotonic_ns())
    lock.release()
print("\n".join(map(str, turns)))
