# SPDX-License-Identifier: MIT
"""redis-py against a served Redis; the port is the first argument. Fails by an exception."""
import sys
import threading
import time

import redis
from redis.exceptions import LockError, LockNotOwnedError, ResponseError, WatchError

PORT = int(sys.argv[1])


def client(**options):
    return redis.Redis(host="127.0.0.1", port=PORT, socket_timeout=10, **options)


def values():
    r = client(decode_responses=True)
    r.flushall()
    assert r.set("k", "v", px=60000) and r.get("k") == "v" and 0 < r.pttl("k") <= 60000
    assert r.set("k", "w", nx=True) is None
    assert r.incrby("n", 5) == 5
    assert r.hset("h", mapping={"a": 1, "b": 2}) == 2 and r.hgetall("h") == {"a": "1", "b": "2"}
    assert r.rpush("l", 1, 2, 3) == 3 and r.lrange("l", 0, -1) == ["1", "2", "3"]
    assert r.zadd("z", {"a": 1.5}) == 1 and r.zscore("z", "a") == 1.5
    assert r.sadd("s", "x") == 1 and r.smembers("s") == {"x"}
    assert sorted(r.scan_iter(count=2)) == ["h", "k", "l", "n", "s", "z"]
    assert r.blpop("l", timeout=1) == ("l", "1")
    assert r.blpop("missing", timeout=1) is None
    try:
        r.incr("h")
        raise AssertionError("INCR of a hash")
    except ResponseError as error:
        assert "WRONGTYPE" in str(error)


def pipelines():
    r = client(decode_responses=True)
    with r.pipeline(transaction=False) as pipe:
        for i in range(500):
            pipe.rpush("list", i)
        assert pipe.execute()[-1] == 500
    with r.pipeline() as pipe:
        pipe.watch("guarded")
        client().set("guarded", "changed")
        pipe.multi()
        pipe.set("guarded", "mine")
        try:
            pipe.execute()
            raise AssertionError("WATCH did not see the change")
        except WatchError:
            pass
    script = r.register_script("return {KEYS[1], ARGV[1], redis.call('incr', KEYS[1])}")
    r.script_flush()
    assert script(keys=["counter"], args=["x"]) == ["counter", "x", 1]
    assert script(keys=["counter"], args=["y"]) == ["counter", "y", 2]


def messages():
    r = client(decode_responses=True)
    p = r.pubsub()
    p.subscribe("news")
    p.psubscribe("n*")
    got = []
    sent = False
    deadline = time.monotonic() + 10
    while len(got) < 4 and time.monotonic() < deadline:
        message = p.get_message(timeout=1)
        if message is not None:
            got.append((message["type"], message["data"]))
        if len(got) == 2 and not sent:
            sent = True
            assert r.publish("news", "hello") == 2
    assert got == [("subscribe", 1), ("psubscribe", 2), ("message", "hello"),
                   ("pmessage", "hello")], got
    p.close()


def locks():
    first, second = client(), client()
    lock = first.lock("resource", timeout=30)
    assert lock.acquire() and lock.owned() and lock.locked()
    other = second.lock("resource", timeout=30)
    assert not other.acquire(blocking=False)
    assert not other.acquire(blocking_timeout=0.3)
    assert lock.extend(30) and lock.reacquire()
    waiter = threading.Thread(target=lambda: other.acquire(blocking_timeout=10))
    waiter.start()
    lock.release()
    waiter.join()
    # A lock object keeps its token per thread, so ownership is looked at on the server.
    assert second.exists("resource") == 1
    second.delete("resource")

    brief = first.lock("brief", timeout=0.1)
    assert brief.acquire()
    deadline = time.monotonic() + 10
    while first.exists("brief") and time.monotonic() < deadline:
        time.sleep(0.01)
    try:
        brief.release()
        raise AssertionError("an expired lock was released")
    except LockNotOwnedError:
        pass
    try:
        first.lock("never").release()
        raise AssertionError("a lock that was never acquired was released")
    except LockError:
        pass


def contended_lock():
    r = client()
    r.set("inside", 0)
    errors = []

    def work():
        mine = client()
        for _ in range(20):
            with mine.lock("contended", timeout=30, sleep=0.001, blocking_timeout=30):
                if mine.incr("inside") != 1:
                    errors.append("two inside")
                mine.decr("inside")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and not r.exists("contended")


for test in (values, pipelines, messages, locks, contended_lock):
    test()
    print("ok", test.__name__)
