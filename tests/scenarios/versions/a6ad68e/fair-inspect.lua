
local waiters = redis.call('ZCARD', KEYS[2])
local owner, fence = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%d+)')
if not owner then return {waiters} end
return {waiters, owner, redis.call('PTTL', KEYS[1]), fence}
