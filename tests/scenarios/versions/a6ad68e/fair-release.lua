
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

local value, mine = redis.call('GET', base) or '', token .. ' ' .. ARGV[3]
if value == mine or string.sub(value, 1, #mine + 1) == mine .. ' ' then
  if ARGV[4] then redis.call('DEL', base .. ':turn:' .. token) end
  local trace = ' ' .. token
  if not hand_over(trace) then
    redis.call('DEL', base)
    local last = string.match(redis.call('GET', fence_key) or '', '^%d+') or ARGV[3]
    redis.call('SET', fence_key, last .. trace, 'PX', ARGV[2])
  end
  return 1
end
if string.match(value, '^%S+ %d+ (%S+)$') == token then return 2 end
local last, trace = string.match(redis.call('GET', fence_key) or '', '^(%d+) ?(.*)$')
if trace == token then return 2 end
if last and tonumber(last) > tonumber(ARGV[3]) then return 3 end
return 0
