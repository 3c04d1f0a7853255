# SPDX-License-Identifier: MIT
#
# A lock in a cluster that one client takes by SET NX, and gives back by DEL whoever holds it then.
# For `interlock drive --topology cluster -- python3 cluster.py`, which finds that (LK005).
import os
import time

from redis.cluster import RedisCluster
from redis.exceptions import ConnectionError

server = RedisCluster.from_url(os.environ["REDIS_URL"])


def report(command):
    while True:
        try:
            return server.execute_command(command, "stock", target_nodes=RedisCluster.RANDOM)
        except ConnectionError:
            time.sleep(0.01)


for _ in range(2):
    while not server.set("lock:stock", "1", nx=True, px=500):
        time.sleep(0.01)
    report("INTERLOCK.ENTER")
    # ... take something out of stock ...
    report("INTERLOCK.LEAVE")
    server.delete("lock:stock")
