
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

local holders, permits = KEYS[4], redis.call('GET', KEYS[4]) or ''
local last, limit, line, trace = string.match(redis.call('GET', fence_key) or '',
                                              '^(%d+) (%d+) (%d) ?(.*)$')
local from, to = string.find(permits, ';' .. token .. ' ' .. ARGV[3] .. ' ', 1, true)
local until_ms = from and string.match(permits, '^%d+', to + 1)
local others = from and string.sub(permits, 1, from - 1) ..
                        string.sub(permits, to + #until_ms + 1)
-- The value lives to the end of the only permit in it, so that one is not over.
local now = others and (others ~= '' or line ~= '0') and milliseconds(redis.call('TIME'))
if others and not (now and tonumber(until_ms) < now) then
  if ARGV[5] then redis.call('DEL', base .. ':turn:' .. token) end
  local granted
  if not now then
    redis.call('DEL', holders)
  elseif line ~= '0' then
    granted = hand_over(now)
  else
    -- Goes also where there is no memory left, and lets what follows go too.
    redis.call('PEXPIRE', fence_key, ARGV[2])
  end
  if now then keep(holders, others .. (granted or ''), now) end
  redis.call('SET', fence_key, (last or ARGV[3]) .. ' ' .. (limit or ARGV[4]) ..
             (granted and ' 1 ' or ' 0 ') .. token, 'PX', ARGV[2])
  return 1
end
if trace == token then return 2 end
if last and tonumber(last) >= tonumber(ARGV[3]) then return 3 end
return 0
