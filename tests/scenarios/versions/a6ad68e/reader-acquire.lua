
if redis.call('EXISTS', KEYS[5]) == 1 then return {-1} end
if redis.call('GET', KEYS[1]) then return {0, redis.call('PTTL', KEYS[1])} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local waiting = redis.call('ZRANGE', KEYS[3], '-1', '-1', 'WITHSCORES')[2]
if waiting and tonumber(waiting) >= now then return {0, waiting - now} end
local last = tonumber(string.match(redis.call('GET', KEYS[4]) or '', '^%d+')) or 0
local hints = redis.call('LLEN', KEYS[6])
local lease = tonumber(ARGV[2])
local fence = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
redis.call('ZREMRANGEBYSCORE', KEYS[2], '0', string.format('%.0f', now - 1))
redis.call('SET', KEYS[4], fence, 'PX', ARGV[3])
redis.call('ZADD', KEYS[2], string.format('%.0f', now + lease), ARGV[1])
if redis.call('PTTL', KEYS[2]) < lease then redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
if ARGV[4] == '1' then
  if hints == 0 then redis.call('LPUSH', KEYS[6], '1') end
  redis.call('PEXPIRE', KEYS[6], ARGV[2])
end
return {1, fence}
