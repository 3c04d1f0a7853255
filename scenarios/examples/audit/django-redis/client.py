# SPDX-License-Identifier: MIT
#
# The lock of django-redis' cache.
import os

import redis
from django.conf import settings

settings.configure(
    CACHES={
        "default": {
            "BACKEND": "django_redis.cache.RedisCache",
            "LOCATION": os.environ["REDIS_URL"],
        }
    }
)

from django.core.cache import cache

server = redis.Redis.from_url(os.environ["REDIS_URL"])
for _ in range(2):
    try:
        with cache.lock("stock", timeout=1, sleep=0.05):
            server.execute_command("INTERLOCK.ENTER", "stock")
            # ... take something out of stock ...
            server.execute_command("INTERLOCK.LEAVE", "stock")
    except redis.exceptions.LockError:
        pass  # its time had run out before the release
