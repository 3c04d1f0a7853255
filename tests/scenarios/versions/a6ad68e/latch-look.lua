
local number = tonumber(redis.call('GET', KEYS[1]))
if not number then return {0, 0, 0} end
local missing = number - redis.call('SCARD', KEYS[2])
if missing == 0 and redis.call('LLEN', KEYS[3]) == 0 then
  redis.call('RPUSH', KEYS[3], '1')
  redis.call('PEXPIRE', KEYS[3], math.max(redis.call('PTTL', KEYS[1]), 1))
end
return {1, missing, 0}
