
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local out = redis.call('ZCOUNT', KEYS[2], string.format('%.0f', now), '+inf')
return {tonumber(redis.call('GET', KEYS[1]) or 0), out}
