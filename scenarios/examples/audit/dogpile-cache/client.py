# SPDX-License-Identifier: MIT
#
# dogpile.cache with a distributed lock: one client creates a value that is missing, the others
# wait for it.
import os

import redis
from dogpile.cache import make_region

server = redis.Redis.from_url(os.environ["REDIS_URL"])
region = make_region().configure(
    "dogpile.cache.redis",
    arguments={
        "url": os.environ["REDIS_URL"],
        "distributed_lock": True,
        "thread_local_lock": False,
        "lock_timeout": 2,
    },
)


def create():
    server.execute_command("INTERLOCK.ENTER", "create")
    # ... compute the value ...
    server.execute_command("INTERLOCK.LEAVE", "create")
    return "value"


for key in ("one", "two"):
    region.get_or_create(key, create)
    region.delete(key)
