local waiters = -1
local owner = redis.call('GET', KEYS[1])
if not owner then return {waiters} end
local fence = string.match(redis.call('GET', KEYS[2]) or '', '^%d+')
return {waiters, owner, redis.call('PTTL', KEYS[1]), fence or '0'}
