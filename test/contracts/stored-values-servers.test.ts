/**
 * Values read equal values sent, also through a server: in a queued job, in a message to connected clients, in a cache.
 * All values of the contract at once, by one request, one job and one message for each server.
 */
import { expect } from 'chai';
import { DATABASES, startKernel, type TestKernel, type TestKernelOptions } from '../support/kernel.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import type { ServerOrSkip } from '../support/guarded-server.js';
import { defineReturnResource } from '../support/project.js';
import { startOwnRedis } from '../support/redis.js';
import { skipTest } from '../support/skip.js';
import { connect, type SocketClient } from '../support/sockets.js';
import {
  DECIMALS,
  FLOATS,
  createJsonCases,
  LONG_TEXTS,
  parseAnswerJson,
  createTextCases,
  TEXTS,
  WHOLES,
  type Case,
} from './stored-values.js';

type Servers = Pick<TestKernelOptions, 'config' | 'env'> & { readonly stop?: () => Promise<void> };

const SERVERS: Readonly<Record<string, () => Promise<ServerOrSkip<Servers>>>> = {
  async redis() {
    const server = await startOwnRedis();
    if ('skip' in server) return server;
    const redis = { use: 'redis', url: '$ENV.REDIS_URL' };
    return { config: { queue: redis, relay: redis, cache: redis }, env: { REDIS_URL: server.url }, stop: server.stop };
  },
  async mongo() {
    const server = await startMongo();
    if ('skip' in server) return server;
    return {
      config: { queue: { use: 'mongo', url: '$ENV.MONGO_URL' } },
      env: { MONGO_URL: await createMongoDatabase() },
    };
  },
  async postgres() {
    const made = await DATABASES.find(({ name }) => name === 'postgres')?.make();
    if (made === undefined || 'skip' in made) return made ?? { skip: 'no PostgreSQL' };
    return { config: { connections: made.connections }, env: made.env };
  },
};

/** As a caller reads it: numbers that no double holds are text. */
const CASES: readonly Case[] = [
  ...createTextCases([...TEXTS, ...LONG_TEXTS]),
  ...[...WHOLES, ...FLOATS, ...DECIMALS].filter(({ json, read }) => read !== null && /^-?[\d.]{1,15}$/.test(json)),
  ...DECIMALS,
  ...['9007199254740993', '-9223372036854775809', '123456789012345678901234567890'].map((json) => ({
    json,
    read: `"${json}"`,
  })),
  ...createJsonCases(() => true).filter(({ read }) => read !== null),
  { json: '"a\\u0000b"', read: '"a\\u0000b"' },
];
const SENT = `{"v":[${CASES.map(({ json }) => json).join()}]}`;
const READ = { v: CASES.map(({ read }) => parseAnswerJson(read ?? '')), said: 'caf\u00e9 \u00a0x' };

const seen = { v: '$PAYLOAD.v', said: '$HEADER.x-said' };
const telling = { broadcast_type: 'ALL', action: 'told' };
const DEFINITIONS = [
  {
    ...defineReturnResource('later', 0),
    actionables: [{ id: 1, mode: 'RETURN', value: seen, queue: {}, broadcast_websocket_message: telling }],
  },
  {
    ...defineReturnResource('kept', 0),
    actionables: [{ id: 1, mode: 'RETURN', value: seen, cacheable: { read_from_cache: true, duration: 600 } }],
  },
];
const HEADERS = { headers: { 'x-said': READ.said } };

for (const [name, make] of Object.entries(SERVERS))
  describe(`values read equal values sent by way of ${name}`, () => {
    let kernel: TestKernel | undefined;
    let client: SocketClient | undefined;
    let stop: Servers['stop'];
    before(async function () {
      const servers = await make();
      if ('skip' in servers) return skipTest(this, servers.skip);
      stop = servers.stop;
      kernel = await startKernel({
        files: { 'definitions/a.json': DEFINITIONS },
        env: { ...servers.env },
        config: { websocket: { enabled: true }, ...servers.config },
      });
      client = await connect(kernel.url);
    });
    after(async () => {
      await client?.close();
      await kernel?.close();
      await stop?.();
    });

    it('in deferred work, and in the message that it sends', async () => {
      expect((await kernel?.post('/later', SENT, HEADERS))?.status).to.equal(202);
      expect((await client?.next())?.data).to.deep.equal(READ);
    });

    it('in a cached result', async () => {
      const [first, again] = [await kernel?.post('/kept', SENT, HEADERS), await kernel?.post('/kept', SENT, HEADERS)];
      expect(first?.body).to.deep.equal(READ);
      expect(again?.text).to.equal(first?.text);
    });
  });
