
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local writer = redis.call('GET', KEYS[1])
local mine = writer == ARGV[1]
local reader = redis.call('ZRANGE', KEYS[2], '-1', '-1', 'WITHSCORES')[2]
local writers, readers = redis.call('LLEN', KEYS[5]), redis.call('LLEN', KEYS[6])
redis.call('ZREM', KEYS[3], ARGV[1])
if mine then redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[4], '1', 'PX', ARGV[3])
if writer and not mine then return 0 end
if readers == 0 then redis.call('LPUSH', KEYS[6], '1') end
redis.call('PEXPIRE', KEYS[6], ARGV[2])
if not reader or tonumber(reader) < now then
  if writers == 0 then redis.call('LPUSH', KEYS[5], '1') end
  redis.call('PEXPIRE', KEYS[5], ARGV[2])
end
return mine and 1 or 0
