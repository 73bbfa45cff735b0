/** What has to happen as one on the server, as Lua. Keys and values only ever come as arguments. */

/** The lease of a key (KEYS[1]): the one that is there, or a new one (ARGV[1]); for ARGV[2] milliseconds from now. */
const LEASE = `
local known = redis.call('GET', KEYS[1])
if known then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return known
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]`;

/** Stores a value (KEYS[1]) while its lease (KEYS[2]) is the one that was given, and there is none; uses the lease up. */
const KEEP = `
if redis.call('GET', KEYS[2]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3], 'NX')
  redis.call('DEL', KEYS[2])
end
return 0`;

/** The right (KEYS[2]) to make a value (KEYS[1]), for a token (ARGV[1]) and ARGV[2] milliseconds. */
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

/** One more in a window; a window that has no end gets one. */
const COUNT = `
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {count, left}`;

/** Marks a key for its milliseconds; never for less than it was marked before. */
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

/** The scripts as methods of a client. */
export interface Scripted {
  lintelLease(key: string, token: string, milliseconds: number): Promise<string>;
  lintelKeep(value: string, lease: string, token: string, bytes: Buffer, milliseconds: number): Promise<number>;
  lintelClaim(value: string, right: string, token: string, milliseconds: number): Promise<number>;
  lintelRelease(right: string, token: string): Promise<number>;
  lintelCount(key: string, milliseconds: number): Promise<[number, number]>;
  lintelMark(key: string, milliseconds: number): Promise<number>;
}
