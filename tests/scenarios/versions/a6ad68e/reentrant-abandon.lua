
local hints = redis.call('LLEN', KEYS[2])
local mine = redis.call('HDEL', KEYS[1], 'hold:' .. ARGV[1])
if redis.call('HLEN', KEYS[1]) <= 2 then redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
if redis.call('EXISTS', KEYS[1]) == 0 then
  if hints == 0 then redis.call('LPUSH', KEYS[2], '1') end
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
return mine
