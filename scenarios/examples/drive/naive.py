# SPDX-License-Identifier: MIT
#
# A lock as many tutorials have it: it says to nobody whose it is, and so its release removes
# whatever lock there is by then. For `interlock drive -- python3 naive.py`, which finds that out.
import os
import time

import redis

server = redis.Redis.from_url(os.environ["REDIS_URL"])
for _ in range(2):
    while not server.set("lock:stock", "1", nx=True, px=500):
        time.sleep(0.01)
    server.execute_command("INTERLOCK.ENTER", "stock")
    # ... take something out of stock ...
    server.execute_command("INTERLOCK.LEAVE", "stock")
    server.delete("lock:stock")
