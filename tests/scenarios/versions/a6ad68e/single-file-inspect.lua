
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local all = {redis.call('ZCARD', KEYS[2])}
local permits = redis.call('GET', KEYS[1]) or ''
for owner, fence, until_ms in string.gmatch(permits, ';(%S+) (%d+) (%d+)') do
  if tonumber(until_ms) >= now then
    all[#all + 1] = owner
    all[#all + 1] = until_ms - now
    all[#all + 1] = fence
  end
end
return all
