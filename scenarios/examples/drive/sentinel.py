# SPDX-License-Identifier: MIT
#
# redis-py's own Lock on the primary that Sentinels name. For
# `interlock drive --topology sentinel -- python3 sentinel.py`, which finds nothing; with
# `--replication-lag 20ms` a failover loses the lock, and another client gets it as well: what a
# primary has acknowledged need not have reached its replica (WAIT would tell).
import os
import time

import redis
from redis.exceptions import ConnectionError, LockError, ReadOnlyError
from redis.sentinel import Sentinel

places = [place.split(":") for place in os.environ["REDIS_SENTINELS"].split(",")]
server = Sentinel(places).master_for("mymaster")
# Sentinels do not fail over, so what is reported arrives.
report = redis.Redis(host=places[0][0], port=int(places[0][1]))


def until_done(call):
    while True:
        try:
            return call()
        except (ConnectionError, ReadOnlyError):
            time.sleep(0.01)


for _ in range(2):
    lock = server.lock("lock:stock", timeout=0.5, sleep=0.01)
    until_done(lock.acquire)
    report.execute_command("INTERLOCK.ENTER", "stock")
    time.sleep(0.02)  # ... take something out of stock ...
    report.execute_command("INTERLOCK.LEAVE", "stock")
    try:
        until_done(lock.release)
    except LockError:
        pass  # its time had run out; it says so, and leaves the next one's lock alone
