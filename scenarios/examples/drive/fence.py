# SPDX-License-Identifier: MIT
#
# A lock with a fencing token, which the storage compares: it refuses what is older than what it has
# seen. But the token is drawn by a command of its own, after the lock, so a client that is stopped
# between the two draws a later one than the client that was granted the lock after it. For
# `interlock drive -- python3 fence.py`, which finds that out.
import os
import time

import redis

RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end"

server = redis.Redis.from_url(os.environ["REDIS_URL"])
release = server.register_script(RELEASE)
for _ in range(2):
    me = os.urandom(16).hex()
    while not server.set("lock:stock", me, nx=True, px=500):
        time.sleep(0.01)
    token = server.incr("fence:stock")
    server.execute_command("INTERLOCK.ENTER", "stock")
    server.execute_command("INTERLOCK.WRITE", "stock", token)
    server.execute_command("INTERLOCK.LEAVE", "stock")
    release(keys=["lock:stock"], args=[me])
