/** The atomic Lua scripts of the relay. Keys and values are passed as arguments. */

/**
 * Appends the message ARGV[2] from ARGV[1] to KEYS[1], numbered by KEYS[2]; ARGV[3] is the epoch of a new counter.
 * Keeps about ARGV[4] messages, for ARGV[5] milliseconds.
 */
const PUBLISH = `
redis.call('HSETNX', KEYS[2], 'epoch', ARGV[3])
local epoch = redis.call('HGET', KEYS[2], 'epoch')
local number = redis.call('HINCRBY', KEYS[2], 'number', 1)
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[4], '*', 'e', epoch, 'n', number, 'f', ARGV[1], 'm', ARGV[2])
local now = tonumber(string.match(id, '^%d+'))
redis.call('XTRIM', KEYS[1], 'MINID', '~', string.format('%.0f', math.max(0, now - tonumber(ARGV[5]))))
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[5]) + 60000)
return number`;

/** Epoch (ARGV[1] for a new counter), number and id of the last message, server time in seconds. */
const STAND = `
redis.call('HSETNX', KEYS[2], 'epoch', ARGV[1])
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local place = '0-0'
if last[1] then place = last[1][1] end
local time = redis.call('TIME')
return {redis.call('HGET', KEYS[2], 'epoch'), redis.call('HGET', KEYS[2], 'number') or '0', place, time[1]}`;

export const SCRIPTS = {
  lintelPublish: { lua: PUBLISH, numberOfKeys: 2 },
  lintelStand: { lua: STAND, numberOfKeys: 2 },
} as const;

export interface Scripted {
  lintelPublish(
    stream: string,
    counter: string,
    from: string,
    text: string,
    epoch: string,
    most: number,
    keep: number,
  ): Promise<number>;
  lintelStand(
    stream: string,
    counter: string,
    epoch: string,
  ): Promise<readonly [epoch: string, number: string, place: string, seconds: string]>;
}
