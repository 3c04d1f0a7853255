
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

local holders, now, wished = KEYS[5], milliseconds(t), tonumber(ARGV[7])
local limit, line, trace = string.match(fenced or '', '^%d+ (%d+) (%d)(.*)$')
limit, trace = tonumber(limit or wished), trace or ''

local out = redis.call('GET', holders)
-- As a rule there is nobody.
if line == '0' and not out then
  local fence = draw(' ' .. wished .. ' 0' .. trace)
  redis.call('SET', holders, permit(token, fence, now + lease), 'PXAT',
             string.format('%.0f', now + lease))
  return {1, fence}
end

local owners, turns, permits, left, mine = {}, {}, {}, {}
for owner, fence, until_ms in each_permit(out or '') do
  local remaining = until_ms - now
  if remaining >= 0 then
    if owner == token then mine, remaining = fence, math.max(remaining, lease) end
    local n = #permits + 1
    owners[n], turns[n], left[n] = owner, base .. ':turn:' .. owner, remaining
    permits[n] = permit(owner, fence, now + remaining)
  end
end
if mine then
  redis.call('DEL', base .. ':turn:' .. token)
  keep(holders, table.concat(permits), now)
  return {1, mine}
end
if #permits > 0 and wished ~= limit then return {-2, limit} end

local look_again, changed
if #permits >= limit and (limit == 1 or redis.call('EXISTS', unpack(turns)) > 0) then
  for i = #permits, 1, -1 do
    local waited = unfetched(owners[i], left[i])
    if waited and waited > grace then
      redis.call('DEL', turns[i])
      table.remove(permits, i)
      table.remove(left, i)
      changed = true
    elseif waited then
      left[i] = math.min(left[i], grace - waited)
    end
  end
end
for i = 1, #left do look_again = math.min(look_again or left[i], left[i]) end

while #permits < limit and line ~= '0' do
  local granted, to, for_ms, fence = hand_over(now)
  if granted then
    permits[#permits + 1] = granted
    changed = true
    look_again = math.min(look_again or grace, grace, for_ms)
  else
    line = '0'
  end
  if to == token then
    keep(holders, table.concat(permits), now)
    return {1, fence}
  end
end

if #permits == 0 then limit = wished end
if #permits < limit and wished == limit then
  local fence = draw(' ' .. limit .. ' 0' .. trace)
  permits[#permits + 1] = permit(token, fence, now + lease)
  keep(holders, table.concat(permits), now)
  return {1, fence}
end
if changed then keep(holders, table.concat(permits), now) end
if wished ~= limit then return {-2, limit} end
if what == 'queue' then stand(look_again, ' ' .. limit .. ' 1' .. trace) end
return {0, look_again}
