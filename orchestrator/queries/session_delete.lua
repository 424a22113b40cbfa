-- Forgets an owner's session and its memory; returns 0 if there is none.
-- KEYS: prefix. ARGV: session, owner.
local session = KEYS[1] .. 'session:' .. ARGV[1]
if redis.call('HGET', session, 'owner') ~= ARGV[2] then
  return 0
end
redis.call('ZREM', KEYS[1] .. 'sessions', ARGV[1])
redis.call('ZREM', KEYS[1] .. 'sessions:' .. ARGV[2], ARGV[1])
for _, kind in ipairs({'nodes', 'absences', 'shown'}) do
  redis.call('DEL', KEYS[1] .. 'session-' .. kind .. ':' .. ARGV[1])
  redis.call('DEL', KEYS[1] .. 'session-' .. kind .. '-bodies:' .. ARGV[1])
end
return redis.call('DEL', session)
