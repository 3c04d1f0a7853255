# SPDX-License-Identifier: MIT
#
# A lock in a cluster that asks the node that had its key's slot at the start, for ever. For
# `interlock drive --topology cluster -- python3 one_node.py`, which moves the slot: then the lock is
# free, and whoever waits for it is told MOVED again and again (LK009).
import os
import time
import uuid

from redis import Redis
from redis.cluster import RedisCluster
from redis.exceptions import ResponseError

cluster = RedisCluster.from_url(os.environ["REDIS_URL"])
node = cluster.get_node_from_key("lock:stock")
server = Redis(host=node.host, port=node.port)
token = uuid.uuid4().hex


def taken():
    try:
        return server.set("lock:stock", token, nx=True, px=2000)
    except ResponseError:  # such as MOVED
        return False


while not taken():
    time.sleep(0.01)
cluster.execute_command("INTERLOCK.ENTER", "stock", target_nodes=RedisCluster.RANDOM)
cluster.execute_command("INTERLOCK.LEAVE", "stock", target_nodes=RedisCluster.RANDOM)
try:
    server.eval(
        "return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1])",
        1, "lock:stock", token)
except ResponseError:
    pass  # Its lease will end.
