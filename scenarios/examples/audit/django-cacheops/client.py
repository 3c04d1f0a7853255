# SPDX-License-Identifier: MIT
#
# django-cacheops with lock=True: one client performs the task, the others wait for its result.
import os

from django.conf import settings

settings.configure(CACHEOPS_REDIS=os.environ["REDIS_URL"])

from cacheops.redis import redis_client


def perform(key):
    with redis_client.getting(key, lock=True) as found:
        if found is not None:
            return
        redis_client.execute_command("INTERLOCK.ENTER", key)
        # ... perform the heavy task ...
        redis_client.execute_command("INTERLOCK.LEAVE", key)


for _ in range(2):
    perform("stock")
