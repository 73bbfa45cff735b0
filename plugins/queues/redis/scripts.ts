/**
 * The atomic Lua scripts of the queue. A job is a hash in Agenda's sets and in `due` (by time), `ready` (by
 * priority), `running` (by lease) or `dead`. Members are `number:id`: older jobs first.
 */

import { HEAD, HELD, MAKE, MARK } from './lua.js';

const NEW = '#!lua\n';
const ANY = '#!lua flags=allow-oom\n';
const READS = '#!lua flags=no-writes,allow-oom,allow-stale\n';

/** ARGV: the mark, then for each job: id, name, priority, rank, retries, accepted at, data, delay in milliseconds. */
const ADD = `${NEW}${HEAD}${MARK}${MAKE}
for at = 2, #ARGV, 8 do
  local key, member = make(at)
  if key then
    local delay = tonumber(ARGV[at + 7])
    runsAt(key, ARGV[at], now + delay)
    if delay > 0 then redis.call('ZADD', due, now + delay, member) else waits(key, member) end
  end
end
return known`;

/** ARGV: the mark, one job as in `ADD` without the delay, code and detail. */
const BURY = `${NEW}${HEAD}${MARK}${MAKE}
local key, member = make(2)
if key then
  runsAt(key, ARGV[2], nil)
  failed(key, ARGV[9], ARGV[10])
  redis.call('ZADD', dead, now, member)
end
return known`;

/**
 * ARGV: lease token, lease in milliseconds, limit. Returns id, attempt, retries, data and journal of each. Disabled
 * jobs are checked again after a second.
 */
const CLAIM = `${ANY}${HEAD}
local taken, limit = {}, tonumber(ARGV[3])
while #taken < limit do
  local member = redis.call('ZRANGE', ready, 0, 0)[1]
  if not member then break end
  redis.call('ZREM', ready, member)
  local key, id = keyOf(member), idOf(member)
  local disabled = redis.call('HGET', key, 'disabled')
  if disabled == 'true' then
    redis.call('ZADD', due, now + 1000, member)
  elseif disabled then
    local attempt = redis.call('HINCRBY', key, 'attempts', 1)
    redis.call('HSET', key, 'lease', ARGV[1], 'lockedAtMs', now, 'lastRunAt', iso(now))
    runsAt(key, id, nil)
    redis.call('ZADD', running, now + tonumber(ARGV[2]), member)
    local got = redis.call('HMGET', key, 'retries', 'data', 'journal')
    taken[#taken + 1] = { id, attempt, got[1], got[2], got[3] or '' }
  end
end
return taken`;

/** ARGV: lease in milliseconds, then id and lease token of each. Returns the ids still held. */
const RENEW = `${ANY}${HEAD}${HELD}
local still = {}
for at = 2, #ARGV, 2 do
  local member = memberOf(ARGV[at], ARGV[at + 1])
  if member then
    redis.call('ZADD', running, now + tonumber(ARGV[1]), member)
    still[#still + 1] = ARGV[at]
  end
end
return still`;

/** ARGV: id, lease token, journal. */
const NOTE = `${ANY}${HEAD}${HELD}
if not memberOf(ARGV[1], ARGV[2]) then return 0 end
redis.call('HSET', job .. ARGV[1], 'journal', ARGV[3])
return 1`;

/** ARGV: id, lease token. */
const DONE = `${ANY}${HEAD}${HELD}
local member = memberOf(ARGV[1], ARGV[2])
if not member then return 0 end
redis.call('ZREM', running, member)
return forget(job .. ARGV[1], ARGV[1])`;

/** ARGV: id, lease token, code, detail, milliseconds until the next attempt, change of the attempt count. */
const FAIL = `${ANY}${HEAD}${HELD}
local member = memberOf(ARGV[1], ARGV[2])
if not member then return 0 end
local key = job .. ARGV[1]
redis.call('ZREM', running, member)
failed(key, ARGV[3], ARGV[4])
redis.call('HINCRBY', key, 'attempts', ARGV[6])
if ARGV[5] == '' then
  redis.call('ZADD', dead, now, member)
else
  local instant = now + tonumber(ARGV[5])
  runsAt(key, ARGV[1], instant)
  redis.call('ZADD', due, instant, member)
end
return 1`;

/** ARGV: id and lease token of each. */
const RELEASE = `${ANY}${HEAD}${HELD}
for at = 1, #ARGV, 2 do
  local member = memberOf(ARGV[at], ARGV[at + 1])
  if member then
    local key = job .. ARGV[at]
    redis.call('ZREM', running, member)
    redis.call('HINCRBY', key, 'attempts', -1)
    free(key)
    runsAt(key, ARGV[at], now)
    waits(key, member)
  end
end
return 1`;

/**
 * ARGV: mark, code and detail of lost jobs, limit. Returns the mark, the number of newly ready jobs, milliseconds
 * until the next (-1: none), ids of dead jobs.
 */
const SWEEP = `${ANY}${HEAD}${MARK}
local woken, gone = 0, {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, ARGV[4])) do
  redis.call('ZREM', due, member)
  local key = keyOf(member)
  if redis.call('EXISTS', key) == 1 then
    waits(key, member)
    woken = woken + 1
  end
end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', running, '-inf', now, 'LIMIT', 0, ARGV[4])) do
  redis.call('ZREM', running, member)
  local key = keyOf(member)
  local counts = redis.call('HMGET', key, 'attempts', 'retries')
  if counts[1] then
    failed(key, ARGV[2], ARGV[3])
    if tonumber(counts[1]) > tonumber(counts[2]) then
      redis.call('ZADD', dead, now, member)
      gone[#gone + 1] = idOf(member)
    else
      runsAt(key, idOf(member), now)
      waits(key, member)
      woken = woken + 1
    end
  end
end
local first = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2]
return { known, woken, first and math.max(0, first - now) or -1, gone }`;

/** ARGV: id. */
const RETRY = `${ANY}${HEAD}
local key = job .. ARGV[1]
local member = redis.call('HGET', key, 'member')
if not member or redis.call('ZREM', dead, member) == 0 then return 0 end
redis.call('HSET', key, 'attempts', 0)
runsAt(key, ARGV[1], now)
waits(key, member)
return 1`;

/** ARGV: id of a job that is not running; or an empty id and a limit for dead jobs. */
const PURGE = `${ANY}${HEAD}
if ARGV[1] ~= '' then
  local member = redis.call('HGET', job .. ARGV[1], 'member')
  if not member or redis.call('ZSCORE', running, member) then return 0 end
  for _, set in ipairs({ ready, due, dead }) do redis.call('ZREM', set, member) end
  return forget(job .. ARGV[1], ARGV[1])
end
local gone = redis.call('ZRANGE', dead, 0, ARGV[2] - 1)
for _, member in ipairs(gone) do
  redis.call('ZREM', dead, member)
  forget(keyOf(member), idOf(member))
end
return #gone`;

/**
 * ARGV: some of `ready`, `due`, `running` and `dead`. Their members at one time: between two commands a job could
 * move. A full server rejects MULTI.
 */
const MEMBERS = `${READS}${HEAD}
local sets = { ready = ready, due = due, running = running, dead = dead }
local found = {}
for at, name in ipairs(ARGV) do found[at] = redis.call('ZRANGE', sets[name], 0, -1) end
return found`;

/** ARGV: a member. */
const STATE = `${READS}${HEAD}
if redis.call('ZSCORE', dead, ARGV[1]) then return 'dead' end
return redis.call('ZSCORE', running, ARGV[1]) and 'running' or 'waiting'`;

/**
 * ARGV: how many ready jobs to inspect. Returns the numbers of ready, delayed, running and dead jobs, and the
 * greatest age in milliseconds.
 */
const BACKLOG = `${READS}${HEAD}
local first = now
for _, member in ipairs(redis.call('ZRANGE', ready, 0, ARGV[1] - 1)) do
  local instant = tonumber(redis.call('ZSCORE', times, idOf(member)) or now)
  if instant < first then first = floor(instant) end
end
return { redis.call('ZCARD', ready), redis.call('ZCARD', due), redis.call('ZCARD', running), redis.call('ZCARD', dead), now - first }`;

const createScript = (lua: string) => ({ lua, numberOfKeys: 10 }) as const;

export const SCRIPTS = {
  lintelAdd: createScript(ADD),
  lintelBury: createScript(BURY),
  lintelClaim: createScript(CLAIM),
  lintelRenew: createScript(RENEW),
  lintelNote: createScript(NOTE),
  lintelDone: createScript(DONE),
  lintelFail: createScript(FAIL),
  lintelRelease: createScript(RELEASE),
  lintelSweep: createScript(SWEEP),
  lintelRetry: createScript(RETRY),
  lintelPurge: createScript(PURGE),
  lintelMembers: createScript(MEMBERS),
  lintelState: createScript(STATE),
  lintelBacklog: createScript(BACKLOG),
} as const;

type Key = string;
export type Keys = readonly [Key, Key, Key, Key, Key, Key, Key, Key, Key, Key];
type Arguments = readonly (string | number)[];

/** The keys, then the arguments of each script. */
export interface Scripted {
  lintelAdd(...given: Arguments): Promise<string>;
  lintelBury(...given: Arguments): Promise<string>;
  lintelClaim(
    ...given: Arguments
  ): Promise<[id: string, attempt: number, retries: string, data: string, journal: string][]>;
  lintelRenew(...given: Arguments): Promise<string[]>;
  lintelNote(...given: Arguments): Promise<number>;
  lintelDone(...given: Arguments): Promise<number>;
  lintelFail(...given: Arguments): Promise<number>;
  lintelRelease(...given: Arguments): Promise<number>;
  lintelSweep(...given: Arguments): Promise<[mark: string, woken: number, next: number, dead: string[]]>;
  lintelRetry(...given: Arguments): Promise<number>;
  lintelPurge(...given: Arguments): Promise<number>;
  lintelMembers(...given: Arguments): Promise<string[][]>;
  lintelState(...given: Arguments): Promise<'waiting' | 'running' | 'dead'>;
  lintelBacklog(
    ...given: Arguments
  ): Promise<[ready: number, delayed: number, running: number, dead: number, oldest: number]>;
}
