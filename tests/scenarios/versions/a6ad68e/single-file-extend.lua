
local base, fence_key, queue = KEYS[1], KEYS[2], KEYS[3]
local token = ARGV[1]

local function next_in_line()
  local first = redis.call('ZPOPMIN', queue)
  while first[1] do
    local to, lease = string.match(first[1], '^(%S+) (%d+)$')
    local wait, turn = base .. ':wait:' .. to, base .. ':turn:' .. to
    if to == token then
      redis.call('DEL', wait)
      return to, lease, first[2]
    end
    if not redis.pcall('RENAME', wait, turn).err then
      redis.call('PEXPIRE', turn, lease)
      return to, lease, first[2]
    end
    first = redis.call('ZPOPMIN', queue)
  end
end

local function milliseconds(t) return t[1] * 1000 + math.floor(t[2] / 1000) end

local function each_permit(permits) return string.gmatch(permits, ';(%S+) (%d+) (%d+)') end

local function permit(of, fence, until_ms)
  return ';' .. of .. ' ' .. fence .. ' ' .. string.format('%.0f', until_ms)
end

local function keep(holders, permits, now)
  local longest = 0
  for until_ms in string.gmatch(permits, ';%S+ %d+ (%d+)') do
    longest = math.max(longest, until_ms)
  end
  if longest < now then return redis.call('DEL', holders) end
  redis.call('SET', holders, permits, 'PXAT', string.format('%.0f', longest))
end

local function hand_over(now)
  local to, lease, fence = next_in_line()
  if to then return permit(to, fence, now + lease), to, tonumber(lease), fence end
end

local holders, now = KEYS[4], milliseconds(redis.call('TIME'))
local permits, extended = '', 0
for owner, fence, until_ms in each_permit(redis.call('GET', holders) or '') do
  if owner == token and tonumber(until_ms) >= now then
    until_ms, extended = math.max(until_ms, now + ARGV[3]), 1
  end
  permits = permits .. permit(owner, fence, until_ms)
end
if extended == 1 then
  redis.call('PEXPIRE', fence_key, ARGV[2])
  keep(holders, permits, now)
end
return extended
