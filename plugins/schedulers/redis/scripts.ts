/**
 * The atomic Lua scripts of the scheduler. KEYS[1]: the schedule (a hash), KEYS[2]: its instants (a sorted set),
 * KEYS[3]: the claimant.
 */

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** ARGV: instant, lease in milliseconds, claimant, milliseconds to store the claimant. */
const CLAIM = `${NOW}
local instant = tonumber(ARGV[1])
local running = redis.call('HGET', KEYS[1], 'running')
local function told()
  if running == ARGV[1] then return 'mine' end
  return 'busy'
end
if redis.call('GET', KEYS[3]) == ARGV[3] then return told() end
if instant <= tonumber(redis.call('HGET', KEYS[1], 'forgotten') or '0') then return 'taken' end
if redis.call('ZADD', KEYS[2], 'NX', instant, ARGV[1]) == 0 then return 'taken' end
redis.call('SET', KEYS[3], ARGV[3], 'PX', ARGV[4])
if instant > tonumber(redis.call('HGET', KEYS[1], 'latest') or '0') then
  redis.call('HSET', KEYS[1], 'latest', ARGV[1])
end
if running and tonumber(redis.call('HGET', KEYS[1], 'until') or '0') > now then
  redis.call('HINCRBY', KEYS[1], 'skipped', 1)
  return 'busy'
end
redis.call('HSET', KEYS[1], 'running', ARGV[1], 'until', now + tonumber(ARGV[2]))
return 'mine'`;

/** ARGV: instant, lease in milliseconds. */
const RENEW = `${NOW}
if redis.call('HGET', KEYS[1], 'running') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'until', now + tonumber(ARGV[2]))
return 1`;

/** ARGV: instant, the first instant still stored. */
const FINISH = `
if redis.call('HGET', KEYS[1], 'running') == ARGV[1] then redis.call('HDEL', KEYS[1], 'running', 'until') end
local gone = redis.call('ZREVRANGEBYSCORE', KEYS[2], '(' .. ARGV[2], '-inf', 'LIMIT', 0, 1)[1]
if gone then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. ARGV[2])
  if tonumber(gone) > tonumber(redis.call('HGET', KEYS[1], 'forgotten') or '0') then
    redis.call('HSET', KEYS[1], 'forgotten', gone)
  end
end
return 0`;

/** ARGV: the form of the schedule, since when it is known. */
const LATEST = `
local latest = redis.call('HGET', KEYS[1], 'latest')
if not latest or (redis.call('HGET', KEYS[1], 'form') ~= ARGV[1] and tonumber(latest) < tonumber(ARGV[2])) then
  latest = ARGV[2]
end
redis.call('HSET', KEYS[1], 'form', ARGV[1], 'latest', latest)
return latest`;

export const SCRIPTS = {
  lintelClaim: { lua: CLAIM, numberOfKeys: 3 },
  lintelRenew: { lua: RENEW, numberOfKeys: 1 },
  lintelFinish: { lua: FINISH, numberOfKeys: 2 },
  lintelLatest: { lua: LATEST, numberOfKeys: 1 },
} as const;

export interface Scripted {
  lintelClaim(
    schedule: string,
    instants: string,
    claimed: string,
    instant: number,
    lease: number,
    by: string,
    remembered: number,
  ): Promise<'mine' | 'taken' | 'busy'>;
  lintelRenew(schedule: string, instant: number, lease: number): Promise<number>;
  lintelFinish(schedule: string, instants: string, instant: number, first: number): Promise<number>;
  lintelLatest(schedule: string, form: string, since: number): Promise<string>;
}
