
if redis.call('EXISTS', KEYS[5]) == 1 then return {-1} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local last = tonumber(string.match(redis.call('GET', KEYS[4]) or '', '^%d+')) or 0
local reader = redis.call('ZRANGE', KEYS[2], '-1', '-1', 'WITHSCORES')[2]
local lease, patience = tonumber(ARGV[2]), tonumber(ARGV[5])
local owner, hints = redis.call('GET', KEYS[1]), redis.call('LLEN', KEYS[6])
local stood = ARGV[4] ~= '' and redis.call('ZSCORE', KEYS[3], ARGV[4])
local ttl
if owner then
  ttl = redis.call('PTTL', KEYS[1])
elseif reader and tonumber(reader) >= now then
  ttl = reader - now
end
if ARGV[4] ~= '' then redis.call('ZREM', KEYS[3], ARGV[4]) end
if ttl then
  if patience > 0 then
    redis.call('ZREMRANGEBYSCORE', KEYS[3], '0', string.format('%.0f', now - 1))
    redis.call('ZADD', KEYS[3], string.format('%.0f', now + patience), ARGV[1])
    if redis.call('PTTL', KEYS[3]) < patience then redis.call('PEXPIRE', KEYS[3], ARGV[5]) end
    ttl = math.min(ttl, math.floor(lease * 3 / 4))
  elseif stood and tonumber(stood) > now and not (owner and now + ttl >= tonumber(stood)) then
    local other = redis.call('ZRANGE', KEYS[3], '-1', '-1', 'WITHSCORES')[2]
    if not other or tonumber(other) < tonumber(stood) then
      if hints == 0 then redis.call('LPUSH', KEYS[6], '1') end
      redis.call('PEXPIRE', KEYS[6], ARGV[2])
    end
  end
  return {0, ttl}
end
local fence = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[4], fence, 'PX', ARGV[3])
return {1, fence}
