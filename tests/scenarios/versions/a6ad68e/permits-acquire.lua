
if redis.call('EXISTS', KEYS[3]) == 1 then return {-1} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local last = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%d+')) or 0
local lease, wished = tonumber(ARGV[2]), tonumber(ARGV[4])
local limit = tonumber(redis.call('GET', KEYS[4]) or 0)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '0', string.format('%.0f', now - 1))
local out = redis.call('ZCARD', KEYS[1])
if limit == 0 then limit = wished end
if limit == 0 or (wished ~= 0 and wished ~= limit) then return {-2, limit} end
if out >= limit then
  local first = redis.call('ZRANGE', KEYS[1], '0', '0', 'WITHSCORES')
  return {0, first[2] - now}
end
local fence = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
redis.call('SET', KEYS[2], fence, 'PX', ARGV[3])
local life = math.max(redis.call('PTTL', KEYS[4]), lease, tonumber(ARGV[3]))
redis.call('SET', KEYS[4], limit, 'PX', life)
redis.call('ZADD', KEYS[1], string.format('%.0f', now + lease), ARGV[1])
if redis.call('PTTL', KEYS[1]) < lease then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {1, fence}
