
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
