
return {0, 0, redis.call('DEL', KEYS[1], KEYS[2], KEYS[3]) > 0 and 1 or 0}
