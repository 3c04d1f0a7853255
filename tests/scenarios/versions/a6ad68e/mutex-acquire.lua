
if redis.call('EXISTS', KEYS[3]) == 1 then return {-1} end
if redis.call('GET', KEYS[1]) then return {0, redis.call('PTTL', KEYS[1])} end
local last = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%d+')) or 0
local t = redis.call('TIME')
local fence = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[2], fence, 'PX', ARGV[3])
return {1, fence}
