# SPDX-License-Identifier: MIT
#
# The Mutex of kombu's Redis transport, by which one consumer at a time restores messages.
import os
import time

import redis
from kombu.transport.redis import Mutex, MutexHeld

server = redis.Redis.from_url(os.environ["REDIS_URL"])
left = 2
while left:
    try:
        with Mutex(server, "unacked_mutex", 1):
            server.execute_command("INTERLOCK.ENTER", "restore")
            # ... restore ...
            server.execute_command("INTERLOCK.LEAVE", "restore")
        left -= 1
    except MutexHeld:
        time.sleep(0.05)
