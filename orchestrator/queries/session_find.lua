-- Returns what is known of an owner's session: repository, dates, sizes of its memory, the server's time; false if none.
-- KEYS: prefix. ARGV: session, owner.
local session = KEYS[1] .. 'session:' .. ARGV[1]
local known = redis.call('HMGET', session, 'owner', 'repository', 'created', 'used')
if known[1] ~= ARGV[2] then
  return false
end
local time = redis.call('TIME')
local now = time[1] .. '.' .. string.format('%06d', time[2])
local nodes = redis.call('ZCARD', KEYS[1] .. 'session-nodes:' .. ARGV[1])
local gone = redis.call('ZCARD', KEYS[1] .. 'session-absences:' .. ARGV[1])
return {known[2], known[3], known[4], nodes, gone, now}
