-- Forgets the sessions about a repository that were opened before a moment, with their memories. Those that are expired
-- for long are in no list any more, and have none.
-- KEYS: prefix. ARGV: repository, the moment in seconds since 1970.
for _, id in ipairs(redis.call('ZRANGE', KEYS[1] .. 'sessions', 0, -1)) do
  local session = KEYS[1] .. 'session:' .. id
  local known = redis.call('HMGET', session, 'owner', 'repository', 'created')
  if known[2] == ARGV[1] and tonumber(known[3]) < tonumber(ARGV[2]) then
    redis.call('ZREM', KEYS[1] .. 'sessions', id)
    redis.call('ZREM', KEYS[1] .. 'sessions:' .. known[1], id)
    for _, kind in ipairs({'nodes', 'absences', 'shown'}) do
      redis.call('DEL', KEYS[1] .. 'session-' .. kind .. ':' .. id)
      redis.call('DEL', KEYS[1] .. 'session-' .. kind .. '-bodies:' .. id)
    end
    redis.call('DEL', session)
  end
end
return 0
