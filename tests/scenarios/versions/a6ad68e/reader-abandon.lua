
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local writer = redis.call('GET', KEYS[1])
local writers, readers = redis.call('LLEN', KEYS[4]), redis.call('LLEN', KEYS[5])
local score = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or -1)
local mine = redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
if writer then return mine end
if readers == 0 then redis.call('LPUSH', KEYS[5], '1') end
redis.call('PEXPIRE', KEYS[5], ARGV[2])
local other = redis.call('ZRANGE', KEYS[2], '-1', '-1', 'WITHSCORES')[2]
if not other or tonumber(other) < math.max(now, score) then
  if writers == 0 then redis.call('LPUSH', KEYS[4], '1') end
  redis.call('PEXPIRE', KEYS[4], ARGV[2])
end
return mine
