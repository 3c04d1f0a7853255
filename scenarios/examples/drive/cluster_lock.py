# SPDX-License-Identifier: MIT
#
# A lock in a cluster with a token of its own for each turn, which only its owner's release removes.
# For `interlock drive --topology cluster -- python3 cluster_lock.py`, which finds nothing: redis-py
# follows MOVED and ASK, and asks again after TRYAGAIN.
import os
import time
import uuid

from redis.cluster import RedisCluster
from redis.exceptions import ConnectionError

RELEASE = """
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0
"""

server = RedisCluster.from_url(os.environ["REDIS_URL"])


def report(command):
    while True:
        try:
            return server.execute_command(command, "stock", target_nodes=RedisCluster.RANDOM)
        except ConnectionError:
            time.sleep(0.01)


for _ in range(2):
    token = uuid.uuid4().hex
    while not server.set("lock:stock", token, nx=True, px=2000):
        time.sleep(0.01)
    report("INTERLOCK.ENTER")
    # ... take something out of stock ...
    report("INTERLOCK.LEAVE")
    server.eval(RELEASE, 1, "lock:stock", token)
