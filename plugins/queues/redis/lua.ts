/** Lua fragments shared by the queue scripts. They run no command by themselves. */

/**
 * KEYS of every script: the sets of ready, delayed, running and dead jobs; the prefix of job keys; the mark; the
 * counter; Agenda's sets of all jobs, of this name, and by next run time.
 */
export const HEAD = `
local ready, due, running, dead, job, mark, counter, all, named, times = unpack(KEYS)
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local floor = math.floor
local function idOf(member) return string.match(member, '^%d+:(.*)$') end
local function keyOf(member) return job .. idOf(member) end
local function iso(instant)
  local days = floor(instant / 86400000)
  local rest = instant - days * 86400000
  local shifted = days + 719468
  local era = floor(shifted / 146097)
  local dayOfEra = shifted - era * 146097
  local year = floor((dayOfEra - floor(dayOfEra / 1460) + floor(dayOfEra / 36524) - floor(dayOfEra / 146096)) / 365)
  local dayOfYear = dayOfEra - (365 * year + floor(year / 4) - floor(year / 100))
  local moon = floor((5 * dayOfYear + 2) / 153)
  local day = dayOfYear - floor((153 * moon + 2) / 5) + 1
  local month = moon < 10 and moon + 3 or moon - 9
  if month <= 2 then year = year + 1 end
  return string.format('%04d-%02d-%02dT%02d:%02d:%02d.%03dZ', year + era * 400, month, day,
    floor(rest / 3600000), floor(rest / 60000) % 60, floor(rest / 1000) % 60, rest % 1000)
end
local function runsAt(key, id, instant)
  local score = 9007199254740991
  if instant then
    local priority = tonumber(redis.call('HGET', key, 'priority')) or 0
    score = instant + (100 - math.min(math.max(priority, 0), 99)) / 1000
  end
  redis.call('HSET', key, 'nextRunAt', instant and iso(instant) or 'null', 'updatedAt', iso(now))
  redis.call('ZADD', times, score, id)
end
local function free(key)
  redis.call('HDEL', key, 'lease')
  redis.call('HSET', key, 'lockedAtMs', 'null')
end
local function waits(key, member)
  redis.call('ZADD', ready, redis.call('HGET', key, 'rank'), member)
end
local function failed(key, code, detail)
  free(key)
  local count = tonumber(redis.call('HGET', key, 'failCount')) or 0
  redis.call('HSET', key, 'code', code, 'failReason', detail, 'failCount', count + 1, 'failedAt', iso(now),
    'lastFinishedAt', iso(now))
end
local function forget(key, id)
  redis.call('SREM', all, id)
  redis.call('SREM', named, id)
  redis.call('ZREM', times, id)
  return redis.call('DEL', key)
end
`;

/** ARGV[1] becomes the mark of a new store. A changed mark means lost data. */
export const MARK = `
local known = redis.call('GET', mark)
if not known then
  known = ARGV[1]
  redis.call('SET', mark, known)
end
`;

/** Creates a job unless it exists (ARGV from `at`: id, name, priority, rank, retries, accepted at, data). */
export const MAKE = `
local function make(at)
  local id = ARGV[at]
  local key = job .. id
  if redis.call('EXISTS', key) == 1 then return nil end
  local member = string.format('%015d', redis.call('INCR', counter)) .. ':' .. id
  redis.call('HSET', key, 'id', id, 'name', ARGV[at + 1], 'type', 'normal', 'priority', ARGV[at + 2], 'lockedAtMs', 'null',
    'data', ARGV[at + 6], 'disabled', 'false', 'fork', 'false', 'createdAt', ARGV[at + 5],
    'member', member, 'rank', ARGV[at + 3], 'attempts', 0, 'retries', ARGV[at + 4])
  redis.call('SADD', all, id)
  redis.call('SADD', named, id)
  return key, member
end
`;

/** Nil when the lease does not match. */
export const HELD = `
local function memberOf(id, lease)
  local got = redis.call('HMGET', job .. id, 'lease', 'member')
  if got[1] == lease then return got[2] end
end
`;
