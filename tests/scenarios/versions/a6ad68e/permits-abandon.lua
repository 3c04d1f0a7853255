
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local hints = redis.call('LLEN', KEYS[2])
local limit = tonumber(redis.call('GET', KEYS[4]) or 1)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '0', string.format('%.0f', now - 1))
local mine = redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
if redis.call('ZCARD', KEYS[1]) < limit then
  if hints < limit then redis.call('LPUSH', KEYS[2], '1') end
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
return mine
