
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local out = redis.call('ZCOUNT', KEYS[1], string.format('%.0f', now), '+inf')
local limit = tonumber(redis.call('GET', KEYS[3]) or 1)
if redis.call('LLEN', KEYS[2]) < limit - out then
  redis.call('LPUSH', KEYS[2], '1')
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
end
return 1
