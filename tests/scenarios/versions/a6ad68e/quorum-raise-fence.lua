
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local last = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%d+')) or 0
if last < tonumber(ARGV[2]) then redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
return 1
