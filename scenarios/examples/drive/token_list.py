# SPDX-License-Identifier: MIT
#
# A lock that is a token in a list: who pops it is inside, and puts it back. Who has waited for too
# long puts one back, too, so that another enters beside the holder; no fault is needed. For
# `interlock drive -- python3 token_list.py`, which finds that out.
import os
import time

import redis

server = redis.Redis.from_url(os.environ["REDIS_URL"])
for _ in range(2):
    if server.getset("stock:primed", 1) is None:
        server.delete("stock:queue")
        server.lpush("stock:queue", 1)
    try:
        if server.blpop(["stock:queue"], timeout=5):
            server.execute_command("INTERLOCK.ENTER", "stock")
            time.sleep(6)  # ... take much out of stock ...
            server.execute_command("INTERLOCK.LEAVE", "stock")
    finally:
        if server.llen("stock:queue") == 0:
            server.lpush("stock:queue", 1)
