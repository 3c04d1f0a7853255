
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local score = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or -1)
local last, token = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) ?(.*)$')
if score >= now then
  local hints = redis.call('LLEN', KEYS[3])
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('SET', KEYS[2], (last or ARGV[2]) .. ' ' .. ARGV[1], 'PX', ARGV[4])
  local other = redis.call('ZRANGE', KEYS[1], '-1', '-1', 'WITHSCORES')[2]
  if not other or tonumber(other) < score then
    if hints == 0 then redis.call('LPUSH', KEYS[3], '1') end
    redis.call('PEXPIRE', KEYS[3], ARGV[3])
  end
  return 1
end
if token == ARGV[1] then return 2 end
if last and tonumber(last) >= tonumber(ARGV[2]) then return 3 end
return 0
