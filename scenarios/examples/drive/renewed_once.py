# SPDX-License-Identifier: MIT
#
# The lock of renewed.py with a fault: the event that stops the thread is made once, with the lock,
# and stays set after the first release, so that no lease after the first is renewed. For
# `interlock drive -- python3 renewed_once.py`, which finds that out.
import os
import threading
import time

import redis

LEASE_MS = 300
RENEW = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end"
RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end"


class RenewedLock:
    def __init__(self, server, name):
        self.server = server
        self.name = name
        self.renew = server.register_script(RENEW)
        self.remove = server.register_script(RELEASE)
        self.stop = threading.Event()

    def acquire(self):
        self.me = os.urandom(16).hex()
        while not self.server.set(self.name, self.me, nx=True, px=LEASE_MS):
            time.sleep(0.2)
        self.thread = threading.Thread(target=self.keep, daemon=True)
        self.thread.start()

    def keep(self):
        while not self.stop.wait(LEASE_MS / 3000):
            try:
                self.renew(keys=[self.name], args=[self.me, LEASE_MS])
            except redis.ConnectionError:
                pass  # there is time for another try

    def release(self):
        self.stop.set()
        self.thread.join()
        self.remove(keys=[self.name], args=[self.me])


server = redis.Redis.from_url(os.environ["REDIS_URL"])
lock = RenewedLock(server, "lock:stock")
for _ in range(2):
    lock.acquire()
    server.execute_command("INTERLOCK.ENTER", "stock")
    time.sleep(0.5)  # ... take something out of stock ...
    server.execute_command("INTERLOCK.LEAVE", "stock")
    lock.release()
