# SPDX-License-Identifier: MIT
#
# rq's scheduler lock: of all schedulers of a queue one enqueues its jobs. The first client serves
# one queue, the others serve a second one as well.
import os
import time

import redis
from rq.scheduler import RQScheduler

server = redis.Redis.from_url(os.environ["REDIS_URL"])
first = os.environ["INTERLOCK_CLIENT"] == "0"
queues = ["default"] if first else ["default", "high"]
scheduler = RQScheduler(queues, connection=server)
acquired = sorted(scheduler.acquire_locks())
for queue in acquired:
    server.execute_command("INTERLOCK.ENTER", queue)
time.sleep(0.3 if first else 0.1)  # ... enqueue ...
for queue in acquired:
    server.execute_command("INTERLOCK.LEAVE", queue)
scheduler.stop()
