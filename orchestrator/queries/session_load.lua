-- Counts a use of a session, and returns what it remembers of a snapshot: nodes, last used last, absences in order, and
-- what was shown, as alternating key and body; false if there is no such session, or it is expired.
-- KEYS: prefix. ARGV: session, snapshot, lifetime and tombstone in seconds.
local session = KEYS[1] .. 'session:' .. ARGV[1]
local known = redis.call('HMGET', session, 'owner', 'used')
local owner = known[1]
local time = redis.call('TIME')
local now = time[1] .. '.' .. string.format('%06d', time[2])
if not owner or known[2] + ARGV[3] <= tonumber(now) then
  return false
end
local kept = math.ceil((ARGV[3] + ARGV[4]) * 1000)
redis.call('HSET', session, 'used', now)
redis.call('PEXPIRE', session, kept)
for _, list in ipairs({KEYS[1] .. 'sessions', KEYS[1] .. 'sessions:' .. owner}) do
  redis.call('ZADD', list, now, ARGV[1])
  redis.call('PEXPIRE', list, kept)
end
local prefix, found = ARGV[2] .. ' ', {}
for at, kind in ipairs({'nodes', 'absences', 'shown'}) do
  local order = KEYS[1] .. 'session-' .. kind .. ':' .. ARGV[1]
  local bodies = KEYS[1] .. 'session-' .. kind .. '-bodies:' .. ARGV[1]
  found[at] = {}
  for _, member in ipairs(redis.call('ZRANGE', order, 0, -1)) do
    -- A server that is short of memory may have dropped one of the two.
    local body = redis.call('HGET', bodies, member)
    if body and string.sub(member, 1, #prefix) == prefix then
      table.insert(found[at], string.sub(member, #prefix + 1))
      table.insert(found[at], body)
    end
  end
  redis.call('PEXPIRE', order, math.ceil(ARGV[3] * 1000))
  redis.call('PEXPIRE', bodies, math.ceil(ARGV[3] * 1000))
end
return found
