/** The atomic Lua scripts of the cache. */

/** The lease of KEYS[1], or ARGV[1]; extended to ARGV[2] milliseconds. */
const LEASE = `
local known = redis.call('GET', KEYS[1])
if known then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return known
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]`;

/** Stores KEYS[1] if missing and its lease KEYS[2] is ARGV[1]. */
const KEEP = `
if redis.call('GET', KEYS[2]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3], 'NX')
  redis.call('DEL', KEYS[2])
end
return 0`;

/** Locks the computation (KEYS[2]) of KEYS[1] for ARGV[1] and ARGV[2] milliseconds. */
const CLAIM = `
if redis.call('EXISTS', KEYS[1]) == 1 then
  return -1
end
if redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2], 'NX') then
  return 0
end
return math.max(1, redis.call('PTTL', KEYS[2]))`;

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
return 0`;

/** Increments a counter; a counter without an expiry gets one. */
const COUNT = `
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {count, left}`;

/** Sets a flag for ARGV[1] milliseconds; never shortens its expiry. */
const MARK = `
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
end
return 0`;

export const SCRIPTS = {
  lintelLease: { lua: LEASE, numberOfKeys: 1 },
  lintelKeep: { lua: KEEP, numberOfKeys: 2 },
  lintelClaim: { lua: CLAIM, numberOfKeys: 2 },
  lintelRelease: { lua: RELEASE, numberOfKeys: 1 },
  lintelCount: { lua: COUNT, numberOfKeys: 1 },
  lintelMark: { lua: MARK, numberOfKeys: 1 },
} as const;

export interface Scripted {
  lintelLease(key: string, token: string, milliseconds: number): Promise<string>;
  lintelKeep(value: string, lease: string, token: string, bytes: Buffer, milliseconds: number): Promise<number>;
  lintelClaim(value: string, right: string, token: string, milliseconds: number): Promise<number>;
  lintelRelease(right: string, token: string): Promise<number>;
  lintelCount(key: string, milliseconds: number): Promise<[number, number]>;
  lintelMark(key: string, milliseconds: number): Promise<number>;
}
