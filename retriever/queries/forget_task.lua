-- Removes a task's state if it was kept before a moment, or if nobody knows when.
-- KEYS: the task. ARGV: the moment, in seconds since 1970.
if tonumber(redis.call('HGET', KEYS[1], 'time') or '0') >= tonumber(ARGV[1]) then
  return 0
end
return redis.call('DEL', KEYS[1])
