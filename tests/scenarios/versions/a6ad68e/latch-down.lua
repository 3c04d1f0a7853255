
local number = tonumber(redis.call('GET', KEYS[1]))
if not number then return {0, 0, 0} end
local hints = redis.call('LLEN', KEYS[3])
local missing = number - redis.call('SCARD', KEYS[2])
local new = 0
if missing > 0 then new = redis.call('SADD', KEYS[2], ARGV[1]) end
if new == 1 and missing == 1 and hints == 0 then
  redis.call('RPUSH', KEYS[3], '1')
  redis.call('PEXPIRE', KEYS[3], ARGV[2])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return {1, missing - new, new}
