-- Keeps evidence, absences and what was shown of a snapshot, what comes last as used last; absences of other snapshots are
-- forgotten. Returns how many nodes went to make room. A session that expired meanwhile remembers nothing any more.
-- KEYS: prefix. ARGV: session, snapshot, lifetime in seconds, limits of nodes, absences and shown; then kind, key and body
-- of each entry.
local session = KEYS[1] .. 'session:' .. ARGV[1]
local used = redis.call('HGET', session, 'used')
local time = redis.call('TIME')
if not used or used + ARGV[3] <= tonumber(time[1] .. '.' .. string.format('%06d', time[2])) then
  return 0
end
local prefix, evicted = ARGV[2] .. ' ', 0
for at = 7, #ARGV, 3 do
  local kind, member = ARGV[at], prefix .. ARGV[at + 1]
  local use = redis.call('HINCRBY', session, 'uses', 1)
  redis.call('ZADD', KEYS[1] .. 'session-' .. kind .. ':' .. ARGV[1], use, member)
  redis.call('HSET', KEYS[1] .. 'session-' .. kind .. '-bodies:' .. ARGV[1], member, ARGV[at + 2])
end
for at, kind in ipairs({'nodes', 'absences', 'shown'}) do
  local order = KEYS[1] .. 'session-' .. kind .. ':' .. ARGV[1]
  local bodies = KEYS[1] .. 'session-' .. kind .. '-bodies:' .. ARGV[1]
  local members = redis.call('ZRANGE', order, 0, -1)
  local excess = #members - ARGV[3 + at]
  for place, member in ipairs(members) do
    local is_old = kind == 'absences' and string.sub(member, 1, #prefix) ~= prefix
    if is_old or place <= excess then
      redis.call('ZREM', order, member)
      redis.call('HDEL', bodies, member)
      evicted = evicted + (kind == 'nodes' and 1 or 0)
    end
  end
  redis.call('PEXPIRE', order, math.ceil(ARGV[3] * 1000))
  redis.call('PEXPIRE', bodies, math.ceil(ARGV[3] * 1000))
end
return evicted
