-- Returns what is known of an owner's session: repository, dates, sizes of its memory, the server's time; false if none.
-- One that is expired remembers nothing, also while its memory is still there.
-- KEYS: prefix. ARGV: session, owner, lifetime in seconds.
local session = KEYS[1] .. 'session:' .. ARGV[1]
local known = redis.call('HMGET', session, 'owner', 'repository', 'created', 'used')
if known[1] ~= ARGV[2] then
  return false
end
local time = redis.call('TIME')
local now = time[1] .. '.' .. string.format('%06d', time[2])
if known[4] + ARGV[3] <= tonumber(now) then
  return {known[2], known[3], known[4], 0, 0, now}
end
local nodes = redis.call('ZCARD', KEYS[1] .. 'session-nodes:' .. ARGV[1])
local gone = redis.call('ZCARD', KEYS[1] .. 'session-absences:' .. ARGV[1])
return {known[2], known[3], known[4], nodes, gone, now}
