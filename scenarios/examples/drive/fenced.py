# SPDX-License-Identifier: MIT
#
# The lock of fence.py, mended: the script that grants the lock draws its fencing token, too. What a
# client writes after its lease has run out is refused if the next one has written. For
# `interlock drive -- python3 fenced.py`, which finds nothing.
import os
import time

import redis

ACQUIRE = """
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('INCR', KEYS[2])
end
"""
RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end"

server = redis.Redis.from_url(os.environ["REDIS_URL"])
acquire = server.register_script(ACQUIRE)
release = server.register_script(RELEASE)
for _ in range(2):
    me = os.urandom(16).hex()
    while not (token := acquire(keys=["lock:stock", "fence:stock"], args=[me, 500])):
        time.sleep(0.01)
    server.execute_command("INTERLOCK.ENTER", "stock")
    server.execute_command("INTERLOCK.WRITE", "stock", token)
    server.execute_command("INTERLOCK.LEAVE", "stock")
    release(keys=["lock:stock"], args=[me])
