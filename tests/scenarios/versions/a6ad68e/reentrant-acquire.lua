
if redis.call('EXISTS', KEYS[3]) == 1 then return {-1} end
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner and owner ~= ARGV[4] then return {0, redis.call('PTTL', KEYS[1])} end
local fence = redis.call('HGET', KEYS[1], 'fence')
local last = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%d+')) or 0
if not owner then
  local t = redis.call('TIME')
  fence = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
  redis.call('SET', KEYS[2], fence, 'PX', ARGV[3])
end
redis.call('HSET', KEYS[1], 'owner', ARGV[4], 'fence', fence, 'hold:' .. ARGV[1], '1')
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {1, fence}
