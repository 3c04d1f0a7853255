
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or -1)
if score < now then return 0 end
local lease = tonumber(ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('ZADD', KEYS[1], string.format('%.0f', math.max(score, now + lease)), ARGV[1])
if redis.call('PTTL', KEYS[1]) < lease then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
