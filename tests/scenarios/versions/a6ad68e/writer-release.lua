
if redis.call('GET', KEYS[1]) == ARGV[1] then
  local writers, readers = redis.call('LLEN', KEYS[3]), redis.call('LLEN', KEYS[4])
  redis.call('DEL', KEYS[1])
  redis.call('SET', KEYS[2], ARGV[2] .. ' ' .. ARGV[1], 'PX', ARGV[4])
  if writers == 0 then redis.call('LPUSH', KEYS[3], '1') end
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
  if readers == 0 then redis.call('LPUSH', KEYS[4], '1') end
  redis.call('PEXPIRE', KEYS[4], ARGV[3])
  return 1
end
local last, token = string.match(redis.call('GET', KEYS[2]) or '', '^(%d+) ?(.*)$')
if token == ARGV[1] then return 2 end
if last and tonumber(last) > tonumber(ARGV[2]) then return 3 end
return 0
