/** Redis connections and the cache on one: URLs, pauses, timeouts, keys, and log entries. Without a server. */
import type { Redis } from 'ioredis';
import { expect } from 'chai';
import type { Log, RuntimeContext } from '../../../contract/plugin.js';
import { createClient } from '../../../plugins/caches/redis/connection.js';
import { createRedisCache } from '../../../plugins/caches/redis/redis.js';
import runtime from '../../../plugins/caches/redis/runtime.js';
import { createRedisClient, dropConnection, dropIfSilent, waitForSettled } from '../../../plugins/shared/redis.js';
import { replaceTime, type ManualTime } from '../../support/manual-time.js';

const URL = 'redis://127.0.0.1:1';
const flushTasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Redis connection', () => {
  const readOptions = (tls = false, timeout?: number): Redis['options'] =>
    createRedisClient<object>({ servers: { url: URL }, tls }, {}, timeout).options;

  it('fails immediately while disconnected, and has timeouts', () => {
    expect(readOptions()).to.deep.include({
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 800,
      connectTimeout: 800,
      disconnectTimeout: 100,
      disableClientInfo: true,
    });
    expect([readOptions(false, 5).commandTimeout, readOptions().tls, readOptions(true).tls]).to.deep.equal([
      5,
      undefined,
      {},
    ]);
  });

  it('is retried after pauses that double up to two seconds, with jitter', () => {
    const { retryStrategy } = readOptions();
    const { random } = Math;
    try {
      for (const [chance, factor] of [
        [0, 0.75],
        [0.5, 0.875],
      ] as const) {
        Math.random = () => chance;
        const pauses = [1, 2, 5, 6, 10, 11, 5000].map((attempt) => retryStrategy?.(attempt));
        expect(pauses).to.deep.equal([100, 200, 1600, 2000, 2000, 2000, 2000].map((most) => most * factor));
      }
    } finally {
      Math.random = random;
    }
  });

  it('is opened again when the server no longer accepts writes', () => {
    const { reconnectOnError } = readOptions();
    for (const [message, expected] of [
      ["READONLY You can't write against a read only replica.", true],
      ['ERR READONLY', false],
      ['', false],
    ] as const)
      expect(reconnectOnError?.(new Error(message))).to.equal(expected);
  });

  it('is closed after a command timed out, if it is connected', () => {
    const asked: unknown[] = [];
    const createStubClient = (status: string): Redis =>
      ({ status, disconnect: (again: boolean) => void asked.push(again) }) as unknown as Redis;
    for (const status of ['connecting', 'close', 'end', 'reconnecting']) dropConnection(createStubClient(status));
    for (const error of [
      new Error('ECONNRESET'),
      new Error('Command timed out!'),
      { message: 'Command timed out' },
      null,
    ])
      dropIfSilent(createStubClient('ready'), error);
    dropIfSilent(createStubClient('close'), new Error('Command timed out'));
    expect(asked).to.deep.equal([]);
    dropIfSilent(createStubClient('ready'), new Error('Command timed out'));
    dropConnection(createStubClient('ready'));
    expect(asked).to.deep.equal([true, true]);
  });

  describe('while waiting', () => {
    let time!: ManualTime;
    beforeEach(() => (time = replaceTime()));
    afterEach(() => time.restoreGlobals());

    it('ends when it is connected or has failed, after the command timeout at the latest', async () => {
      await waitForSettled(Promise.resolve());
      await waitForSettled(Promise.reject(new Error('x')));
      expect(time.timers()).to.equal(0);
      let isOver = false;
      const waiting = waitForSettled(new Promise(() => undefined)).then(() => (isOver = true));
      await time.advance(799);
      expect(isOver).to.equal(false);
      await time.advance(1);
      await waiting;
    });
  });
});

describe('cache connection', () => {
  interface RecordingLog {
    readonly log: Log;
    readonly lines: unknown[];
  }
  const logging = (): RecordingLog => {
    const lines: unknown[] = [];
    const note =
      (level: string) =>
      (fields: object, message: string): void =>
        void lines.push([level, fields, message.replace(/ ?[;:(].*$/, '')]);
    return { log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }, lines };
  };
  const UNAVAILABLE = (reason: string): unknown => ['warn', { reason }, 'cache store unavailable'];
  const BACK = ['info', {}, 'cache store available'];
  const EMPTY = ['warn', {}, 'cache store is empty after a reconnect'];

  /** `sets`: the responses of the server to the trace, in order. */
  function connected(sets: (string | null | Error)[], policy: string | null = 'noeviction') {
    const { log, lines } = logging();
    const client = createClient({ servers: { url: URL }, prefix: 'p:', tls: false }, log);
    const asked: string[] = [];
    const info = policy === null ? 'used_memory:1' : `used_memory:1\r\nmaxmemory_policy:${policy}\r\nx:1`;
    Object.assign(client, {
      set: (...words: string[]) => {
        asked.push(words.join(' '));
        const answer = sets.shift() ?? null;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      info: (section: string) => {
        asked.push(section);
        return Promise.resolve(info);
      },
    });
    const ready = async (): Promise<void> => {
      client.emit('ready');
      await flushTasks();
    };
    return { client, lines, asked, ready };
  }

  it('logs once that it is unavailable, and that it is available again', async () => {
    const { client, lines, ready } = connected(['OK']);
    await ready();
    expect(lines).to.deep.equal([]);
    client.emit('error', new Error('one'));
    client.emit('error', new Error('two'));
    await ready();
    await ready();
    client.emit('error', new Error('three'));
    expect(lines).to.deep.equal([UNAVAILABLE('one'), BACK, UNAVAILABLE('three')]);
  });

  it('adds a trace event, and logs when it is closed', async () => {
    const { lines, asked, ready } = connected(['OK', null, 'OK', new Error('x'), 'OK']);
    await ready();
    await ready();
    expect(lines).to.deep.equal([]);
    await ready();
    await ready();
    expect(lines).to.deep.equal([EMPTY]);
    expect(asked).to.deep.equal(['p:here 1 NX', 'memory', 'p:here 1 NX', 'p:here 1 NX', 'p:here 1 NX']);
    const other = connected([null, 'OK']);
    await other.ready();
    await other.ready();
    expect(other.lines, 'another process had left it').to.deep.equal([EMPTY]);
  });

  it('warns once about a server that evicts entries', async () => {
    for (const [policy, expected] of [
      ['allkeys-lru', [['warn', { policy: 'allkeys-lru' }, 'cache store evicts entries']]],
      ['noeviction', []],
      [null, []],
    ] as const) {
      const { lines, ready } = connected([null, null], policy);
      await ready();
      await ready();
      expect(lines).to.deep.equal(expected);
    }
  });

  it('requires a URL, and its failure does not make the process unhealthy', async () => {
    const context = (options: object): RuntimeContext => ({ options, log: logging().log }) as unknown as RuntimeContext;
    expect(() => runtime.create!(context({ url: 'x' })))
      .to.throw()
      .with.property('code', 'CCH_ADDRESS');
    const handle = runtime.create!(context({ url: URL }));
    expect(await runtime.health!(handle)).to.deep.equal({
      ok: false,
      optional: true,
      detail: 'the cache store does not respond',
    });
    await runtime.close!(handle);
  });
});

describe('Redis cache', () => {
  /** Responds to every command with the next of `answers`, and records it. */
  function cacheWith(...answers: unknown[]) {
    const asked: unknown[][] = [];
    const gone: boolean[] = [];
    const target = { status: 'ready', disconnect: (again: boolean) => void gone.push(again) };
    const client = new Proxy(target, {
      get: (object, name: string) =>
        Object.hasOwn(object, name)
          ? object[name as keyof typeof object]
          : (...words: unknown[]) => {
              asked.push([name, ...words]);
              const answer = answers.shift();
              return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
            },
    });
    return { cache: createRedisCache(client as never, 'p:'), asked, gone };
  }
  const listKeys = (asked: readonly (readonly unknown[])[]): unknown[] => asked.map(([, key]) => key);

  it('has a key space for each kind of entry, with hashed keys', async () => {
    const { cache, asked } = cacheWith(null, 'lease', 0, [1, 5], 0, 0, 0, 2, 2);
    expect(await cache.getValue('a')).to.deep.equal({ value: null, lease: 'lease' });
    await cache.setValue('a', Buffer.from('xyz').subarray(1), 0.0001, 'lease');
    expect(await cache.count('a', 1.5)).to.deep.equal({ count: 1, left: 5 });
    await cache.setFlags([
      { key: 'a', seconds: 1.0001 },
      { key: 'b', seconds: 0 },
    ]);
    expect(await cache.hasFlag('a')).to.equal(false);
    await cache.remove(['a', 'b']);
    const [get, lease, keep, count, mark, other, exists, del, more] = asked;
    expect(asked.map(([name]) => name)).to.deep.equal([
      'getBuffer',
      'lintelLease',
      'lintelKeep',
      'lintelCount',
      'lintelMark',
      'lintelMark',
      'exists',
      'del',
      'del',
    ]);
    expect(get?.[1]).to.match(/^p:v:\{[\w-]{43}\}$/);
    // Keys that are used together have their hash in braces: one slot of a cluster.
    const key = (space: string): string => String(get?.[1]).replace(':v:', `:${space}:`);
    const alone = (space: string): string => key(space).replaceAll(/[{}]/g, '');
    expect(lease?.slice(1)).to.deep.equal([key('l'), lease?.[2], 60_000]);
    expect(lease?.[2]).to.match(/^[\da-f-]{36}$/);
    expect(keep?.slice(1)).to.deep.equal([key('v'), key('l'), 'lease', Buffer.from('yz'), 1]);
    expect(count?.slice(1)).to.deep.equal([alone('c'), 1500]);
    expect(mark?.slice(1)).to.deep.equal([alone('m'), 1001]);
    expect(other?.[2]).to.equal(1);
    expect(exists?.slice(1)).to.deep.equal([alone('m')]);
    expect(del?.slice(1)).to.deep.equal([key('v'), key('l')]);
    expect(more?.slice(1)).to.have.length(2).and.not.include(key('v'));
  });

  it('returns a value without a lease, and sets a flag once', async () => {
    const { cache } = cacheWith(Buffer.from('x'), 1);
    expect(await cache.getValue('a')).to.deep.equal({ value: Buffer.from('x'), lease: '' });
    expect(await cache.hasFlag('a')).to.equal(true);
  });

  it('has its own key for every text, also for half a surrogate pair', async () => {
    const texts = ['a', '"a"', '!"a"', ':a', '\ud800', '\ud801', '"\\ud800"', '\ufffd', ''];
    const { cache, asked } = cacheWith();
    for (const text of texts) await cache.hasFlag(text);
    expect(new Set(listKeys(asked)).size).to.equal(texts.length);
  });

  it('sends nothing if there is nothing to remove or to flag', async () => {
    const { cache, asked } = cacheWith();
    await cache.remove([]);
    await cache.setFlags([]);
    expect(asked).to.deep.equal([]);
  });

  it('is unavailable when anything fails, and closes a silent connection', async () => {
    const { cache, gone } = cacheWith(
      ...Array.from({ length: 5 }, () => new Error('x')),
      new Error('Command timed out'),
    );
    for (const work of [
      () => cache.getValue('a'),
      () => cache.setValue('a', Buffer.from('x'), 1, 'l'),
      () => cache.remove(['a']),
      () => cache.count('a', 1),
      () => cache.setFlags([{ key: 'a', seconds: 1 }]),
      () => cache.hasFlag('a'),
    ]) {
      const found = (await Promise.resolve(work()).catch((error: unknown) => error)) as {
        code?: string;
        options?: object;
      };
      expect(found.code).to.equal('CCH_AWAY');
      expect(found.options).to.deep.include({ retryable: true, headers: { 'retry-after': '1' } });
    }
    expect(gone).to.deep.equal([true]);
  });
});
