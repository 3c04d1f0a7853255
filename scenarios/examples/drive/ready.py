# SPDX-License-Identifier: MIT
#
# A client that looks at its server before it loads what it needs. It says where it may be copied
# for each run, so all of that is done once. For `interlock drive -- python3 ready.py`, which finds
# nothing.
import os

import redis

first = redis.Redis.from_url(os.environ["REDIS_URL"])
version = first.info("server")["redis_version"]
first.execute_command("INTERLOCK.READY")
first.close()  # a connection cannot be copied
first.connection_pool.disconnect()

server = redis.Redis.from_url(os.environ["REDIS_URL"])
lock = server.lock(f"lock:stock:{version}", timeout=0.5, sleep=0.01)
lock.acquire()
server.execute_command("INTERLOCK.ENTER", "stock")
# ... take something out of stock ...
server.execute_command("INTERLOCK.LEAVE", "stock")
try:
    lock.release()
except redis.exceptions.LockError:
    pass  # its time had run out
