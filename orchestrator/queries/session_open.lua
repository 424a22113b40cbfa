-- Opens a session, and forgets in the lists those long expired.
-- KEYS: prefix. ARGV: session, owner, repository, lifetime and tombstone in seconds.
local time = redis.call('TIME')
local now = time[1] .. '.' .. string.format('%06d', time[2])
local kept = math.ceil((ARGV[4] + ARGV[5]) * 1000)
local session = KEYS[1] .. 'session:' .. ARGV[1]
redis.call('HSET', session, 'owner', ARGV[2], 'repository', ARGV[3], 'created', now, 'used', now)
redis.call('PEXPIRE', session, kept)
local lists = {KEYS[1] .. 'sessions', KEYS[1] .. 'sessions:' .. ARGV[2]}
for _, list in ipairs(lists) do
  redis.call('ZREMRANGEBYSCORE', list, '-inf', now - ARGV[4])
  redis.call('ZADD', list, now, ARGV[1])
  redis.call('PEXPIRE', list, kept)
end
return {now, redis.call('ZCARD', lists[1])}
