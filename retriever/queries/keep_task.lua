-- Replaces a task's state if it is still the one that the caller read.
-- KEYS: the task. ARGV: version read (0 for none), new version, content, seconds until it is forgotten.
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then
  return 0
end
local time = redis.call('TIME')
local now = time[1] .. '.' .. string.format('%06d', time[2])
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'content', ARGV[3], 'time', now)
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1
