
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

local what, lease, grace = ARGV[3], ARGV[4], tonumber(ARGV[5])
local cancelled, fenced = unpack(redis.call('MGET', KEYS[4], fence_key))
if cancelled then return {-1} end
-- Of a grant that it does not know of, and somebody has taken from it: this one is another.
if string.sub(fenced or '', -#token - 1) == ' ' .. token then
  fenced = string.sub(fenced, 1, -#token - 2)
end
local t = redis.call('TIME')

local function draw(rest)
  local last, kept = string.match(fenced or '', '^(%d+)(.*)$')
  local ticket = string.format('%.0f', math.max((last or 0) + 1, t[1] * 1000000 + t[2]))
  redis.call('SET', fence_key, ticket .. (rest or kept or ''), 'PX', ARGV[2])
  return ticket
end

local function unfetched(owner, left)
  local element = redis.call('LINDEX', base .. ':turn:' .. owner, 0)
  return element and string.match(element, ' (%d+)$') - left
end

local function stand(look_again, rest)
  local sleep = tonumber(ARGV[6])
  if look_again >= 0 then sleep = math.min(sleep, look_again) end
  local live = sleep + grace
  local member, wait = token .. ' ' .. lease, base .. ':wait:' .. token
  local ticket = redis.call('ZSCORE', queue, member)
  local lies = ticket and redis.call('PEXPIRE', wait, live) == 1
  if ticket then
    redis.call('PEXPIRE', fence_key, ARGV[2])
  else
    ticket = draw(rest)
    redis.call('ZADD', queue, ticket, member)
  end
  if not lies then
    -- One of an earlier place in a line that was lost is void.
    if redis.call('RPUSH', wait, ticket .. ' ' .. lease) > 1 then redis.call('LPOP', wait) end
    redis.call('PEXPIRE', wait, live)
  end
  if redis.call('PTTL', queue) < live then redis.call('PEXPIRE', queue, live) end
end

local value = redis.call('GET', base)
local owner, fence
if value then owner, fence = string.match(value, '^(%S+) (%d+)') end
local left = value and redis.call('PTTL', base)
if owner == token then
  if left <= tonumber(lease) then redis.call('PEXPIRE', base, lease) end
  redis.call('DEL', base .. ':turn:' .. token)
  return {1, fence}
end

local waited = owner and unfetched(owner, left)
if not value or (waited and waited > grace) then
  local to, for_ms, granted = hand_over('')
  if not to then
    to, granted = token, draw()
    redis.call('SET', base, token .. ' ' .. granted, 'PX', lease)
  end
  if owner then redis.call('DEL', base .. ':turn:' .. owner) end
  if to == token then return {1, granted} end
  waited, left = 0, tonumber(for_ms)
end

local look_again = waited and math.min(left, grace - waited) or left
if what == 'queue' then stand(look_again) end
return {0, look_again}
