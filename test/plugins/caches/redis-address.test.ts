/** Redis URLs of the config: one server, sentinels, a cluster. Without a server. */
import { expect } from 'chai';
import { parseRedisAddress } from '../../../plugins/shared/redis.js';

const URL = 'redis://127.0.0.1:1';

describe('Redis URL', () => {
  for (const [options, address] of [
    [{ url: URL }, { servers: { url: URL }, prefix: 'lintel:', tls: false }],
    [
      { url: 'rediss://host', prefix: '', tls: true },
      { servers: { url: 'rediss://host' }, prefix: '', tls: true },
    ],
    [
      { url: URL, prefix: 7, tls: 'true' },
      { servers: { url: URL }, prefix: 'lintel:', tls: false },
    ],
    [
      { url: 'redis+sentinel://ada:p%40ss@a:1,[::1]/main/3' },
      {
        servers: {
          sentinels: [
            { host: 'a', port: 1 },
            { host: '::1', port: 26_379 },
          ],
          name: 'main',
          db: 3,
          login: { username: 'ada', password: 'p@ss' },
        },
        prefix: 'lintel:',
        tls: false,
      },
    ],
    [
      { url: 'rediss+cluster://:secret@a,b:7001' },
      {
        servers: {
          nodes: [
            { host: 'a', port: 6379 },
            { host: 'b', port: 7001 },
          ],
          login: { password: 'secret' },
        },
        prefix: 'lintel:',
        tls: true,
      },
    ],
    [{ url: 'redis+sentinel://a:1,b:2' }, null],
    [{ url: 'redis+cluster://a:1/main' }, null],
    [{ url: 'redis+cluster://a:1,,b:2' }, null],
    [{ url: 'redis+cluster://a:99999' }, null],
    [{ url: 'redis+cluster://:%zz@a' }, null],
    [{ url: 'redis://' }, null],
    [{ url: 'redisss://host' }, null],
    [{ url: 'xredis://host' }, null],
    [{ url: 'http://host' }, null],
    [{ url: 7 }, null],
    [{}, null],
  ] as const)
    it(`has ${address === null ? 'no host' : 'a host'} in ${JSON.stringify(options)}`, () =>
      expect(parseRedisAddress(options)).to.deep.equal(address));
});
