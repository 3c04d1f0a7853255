# SPDX-License-Identifier: MIT
#
# A lock of tooz's coordinator, by its Redis driver.
import os

from tooz import coordination

import redis

server = redis.Redis.from_url(os.environ["REDIS_URL"])
me = os.environ["INTERLOCK_CLIENT"].encode()
coordinator = coordination.get_coordinator(os.environ["REDIS_URL"] + "?lock_timeout=2", me)
coordinator.start()
for _ in range(2):
    with coordinator.get_lock("stock"):
        server.execute_command("INTERLOCK.ENTER", "stock")
        # ... take something out of stock ...
        server.execute_command("INTERLOCK.LEAVE", "stock")
coordinator.stop()
