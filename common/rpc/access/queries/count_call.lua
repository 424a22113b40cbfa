-- Counts a call of a caller, by the server's clock, unless it is one too many.
-- KEYS: the bucket of a minute's calls, the calls that run. ARGV: calls a minute and calls at once, 0 for no bound; the
-- call's ticket; how many seconds it may run.
-- Returns which quota is used up, '' for none, and how many run or how many seconds are to be waited.
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local per_minute, at_once = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.6f', now))
local running = redis.call('ZCARD', KEYS[2])
if at_once > 0 and running >= at_once then
  return {'calls_at_once', tostring(running)}
end
if per_minute > 0 then
  local kept = redis.call('HMGET', KEYS[1], 'left', 'at')
  local left = per_minute
  if kept[1] and kept[2] then
    left = math.min(per_minute, tonumber(kept[1]) + math.max(0, now - tonumber(kept[2])) * per_minute / 60)
  end
  if left < 1 then
    return {'requests_per_minute', string.format('%.6f', (1 - left) * 60 / per_minute)}
  end
  redis.call('HSET', KEYS[1], 'left', string.format('%.6f', left - 1), 'at', string.format('%.6f', now))
  redis.call('EXPIRE', KEYS[1], 120)
end
redis.call('ZADD', KEYS[2], string.format('%.6f', now + ARGV[4]), ARGV[3])
redis.call('EXPIRE', KEYS[2], math.ceil(ARGV[4]) + 60)
return {'', '0'}
