
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

local function hand_over(trace)
  local to, lease, fence = next_in_line()
  if to then redis.call('SET', base, to .. ' ' .. fence .. trace, 'PX', lease) end
  return to, lease, fence
end

local value = redis.call('GET', base)
local mine = value and string.sub(value, 1, #token + 1) == token .. ' '
redis.call('ZREM', queue, token .. ' ' .. ARGV[4])
redis.call('DEL', base .. ':wait:' .. token)
redis.call('SET', KEYS[4], '1', 'PX', ARGV[3])
if mine then redis.call('DEL', base, base .. ':turn:' .. token) end
if mine or not value then hand_over('') end
return mine and 1 or 0
