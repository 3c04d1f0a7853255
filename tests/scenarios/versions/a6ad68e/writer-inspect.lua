
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local waiters = redis.call('ZCOUNT', KEYS[3], string.format('%.0f', now), '+inf')

local owner = redis.call('GET', KEYS[1])
if not owner then return {waiters} end
local fence = string.match(redis.call('GET', KEYS[2]) or '', '^%d+')
return {waiters, owner, redis.call('PTTL', KEYS[1]), fence or '0'}
