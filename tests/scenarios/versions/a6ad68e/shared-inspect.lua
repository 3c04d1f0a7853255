local function of_writer()
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local waiters = redis.call('ZCOUNT', KEYS[3], string.format('%.0f', now), '+inf')

local owner = redis.call('GET', KEYS[1])
if not owner then return {waiters} end
local fence = string.match(redis.call('GET', KEYS[2]) or '', '^%d+')
return {waiters, owner, redis.call('PTTL', KEYS[1]), fence or '0'}
end local function of_readers(KEYS)
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local all = {-1}
local out = redis.call('ZRANGEBYSCORE', KEYS[1], string.format('%.0f', now), '+inf', 'WITHSCORES')
for i = 1, #out, 2 do
  all[#all + 1] = out[i]
  all[#all + 1] = out[i + 1] - now
  all[#all + 1] = '0'
end
return all

end
local all = of_writer()
for i, value in ipairs(of_readers({KEYS[4]})) do
  if i > 1 then all[#all + 1] = value end
end
return all
