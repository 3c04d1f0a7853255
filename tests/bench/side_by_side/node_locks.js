// SPDX-License-Identifier: MIT
//
// Locks from npm in the comparison: node node_locks.js redlock|redis-semaphore URL START_NS SECONDS
// HOLD_US. The packages stand in NODE_PATH (see run.py).
'use strict';

const [kind, url, start, seconds, hold] = process.argv.slice(2);
const Redis = require('ioredis');

const redis = new Redis(url);
const now = () => process.hrtime.bigint();
const stayUntil = async (ns) => {
  while (now() < ns) await new Promise(setImmediate);
};

function makeAcquire() {
  if (kind === 'redlock') {
    const Redlock = require('redlock');
    const locks = new (Redlock.default || Redlock)([redis], { retryCount: -1 });
    return async () => {
      const lock = await locks.acquire(['side-by-side'], 30000);
      return () => lock.release();
    };
  }
  const { Mutex } = require('redis-semaphore');
  return async () => {
    const mutex = new Mutex(redis, 'side-by-side', { acquireTimeout: 60000, lockTimeout: 30000 });
    await mutex.acquire();
    return () => mutex.release();
  };
}

(async () => {
  const acquire = makeAcquire();
  await (await acquire())();
  await stayUntil(BigInt(start));
  const end = BigInt(start) + BigInt(Math.round(Number(seconds) * 1e9));
  const turns = [];
  while (now() < end) {
    turns.push(now());
    const release = await acquire();
    const granted = now();
    turns.push(granted);
    await stayUntil(granted + BigInt(hold) * 1000n);
    turns.push(now());
    await release();
  }
  console.log(turns.join('\n'));
  redis.disconnect();
})();
