
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local out = redis.call('ZCOUNT', KEYS[2], string.format('%.0f', now), '+inf')
local hints = redis.call('LLEN', KEYS[3])
redis.call('SET', KEYS[1], ARGV[1], 'PX', math.max(redis.call('PTTL', KEYS[1]), ARGV[2]))
for _ = hints + 1, math.min(ARGV[1] - out, 1000) do redis.call('LPUSH', KEYS[3], '1') end
redis.call('PEXPIRE', KEYS[3], ARGV[3])
return 1
