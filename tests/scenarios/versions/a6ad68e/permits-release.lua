
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or -1)
local last, token = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) ?(.*)$')
if score >= now then
  local hints = redis.call('LLEN', KEYS[3])
  local limit = tonumber(redis.call('GET', KEYS[4]) or 1)
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('SET', KEYS[2], (last or ARGV[2]) .. ' ' .. ARGV[1], 'PX', ARGV[4])
  if hints < limit then redis.call('LPUSH', KEYS[3], '1') end
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
  return 1
end
if token == ARGV[1] then return 2 end
if last and tonumber(last) >= tonumber(ARGV[2]) then return 3 end
return 0
