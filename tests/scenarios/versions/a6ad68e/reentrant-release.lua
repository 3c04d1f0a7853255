
local last, token = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) ?(.*)$')
if redis.call('HEXISTS', KEYS[1], 'hold:' .. ARGV[1]) == 1 then
  local hints = redis.call('LLEN', KEYS[3])
  redis.call('HDEL', KEYS[1], 'hold:' .. ARGV[1])
  redis.call('SET', KEYS[2], ARGV[2] .. ' ' .. ARGV[1], 'PX', ARGV[4])
  if redis.call('HLEN', KEYS[1]) > 2 then return 1 end
  redis.call('DEL', KEYS[1])
  if hints == 0 then redis.call('LPUSH', KEYS[3], '1') end
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
  return 1
end
if token == ARGV[1] then return 2 end
if last and tonumber(last) >= tonumber(ARGV[2]) then return 3 end
return 0
