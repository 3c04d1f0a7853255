# SPDX-License-Identifier: MIT
#
# A lock that is waited for with a deadline, which is looked at before the answer: whoever is granted
# the lock by its last request gives up, goes on without it, and leaves it locked until its lease
# ends. For `interlock drive -- python3 gives_up.py`, which finds that out.
import os
import time

import redis

RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end"

server = redis.Redis.from_url(os.environ["REDIS_URL"])
release = server.register_script(RELEASE)


def acquire(me, patience):
    deadline = time.monotonic() + patience
    while True:
        granted = server.set("lock:stock", me, nx=True, px=60_000)
        if time.monotonic() > deadline:
            return False
        if granted:
            return True
        time.sleep(0.01)


for _ in range(3):
    me = os.urandom(16).hex()
    if not acquire(me, 0.02):
        continue
    server.execute_command("INTERLOCK.ENTER", "stock")
    time.sleep(0.015)  # ... take something out of stock ...
    server.execute_command("INTERLOCK.LEAVE", "stock")
    release(keys=["lock:stock"], args=[me])
