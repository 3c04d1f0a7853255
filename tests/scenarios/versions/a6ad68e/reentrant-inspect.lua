
local fence = redis.call('HGET', KEYS[1], 'fence') or '0'
local ttl = redis.call('PTTL', KEYS[1])
local all = {-1}
local fields = redis.call('HKEYS', KEYS[1])
table.sort(fields)
for _, field in ipairs(fields) do
  local hold = string.match(field, '^hold:(.*)$')
  if hold then
    all[#all + 1] = hold
    all[#all + 1] = ttl
    all[#all + 1] = fence
  end
end
return all
