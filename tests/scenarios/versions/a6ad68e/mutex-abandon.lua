
local owner = redis.call('GET', KEYS[1])
local mine = owner == ARGV[1]
local hints = redis.call('LLEN', KEYS[2])
if mine then redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
if mine or not owner then
  if hints == 0 then redis.call('LPUSH', KEYS[2], '1') end
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
return mine and 1 or 0
