/**
 * Two servers on Redis with sentinels and on a Redis Cluster, over HTTP and WebSocket: limits, revoked tokens, rooms
 * and schedules are shared, and continue on a replica; without one no counter restarts and no revoked token is valid
 * again.
 */
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { startRedisCluster, startRedisSentinel, type RedisDeployment } from '../support/redis-deployments.js';
import { skipTest } from '../support/skip.js';
import { connect, type Frame, type SocketClient } from '../support/sockets.js';
import { createBearerInit, KEY } from '../support/tokens.js';
import { waitUntil } from '../support/until.js';

const JWT = { type: 'JWT', encryption_key: '$ENV.KEY' };
const LIMIT = 5;
const sending = (action: string, type: object): object => ({ broadcast_websocket_message: { action, ...type } });
const FILES = {
  'definitions/a.json': [
    defineReturnResource('plain', 1),
    defineReturnResource('limited', 1, {
      rate_limit: { limit: LIMIT, identifier: '$HEADER.x-who', expires_after: 600 },
    }),
    defineReturnResource('sign-in', { id: 'ada' }, { tokenize: { ...JWT, custom_claim_fields: ['id'] } }),
    defineReturnResource('me', { id: '$PROTECTED.id' }, { tokenize: JWT, protected: { extract_claims: ['id'] } }),
    {
      ...{ id: 'sign-out', resource: 'sign-out', tokenize: JWT, protected: {} },
      invalidate_tokenize: { tokens: '$HEADER.authorization' },
    },
    { id: 'join', resource: 'join', actionables: [{ id: 1, mode: 'RETURN', value: {}, join_room: 'lobby' }] },
    {
      id: 'say',
      resource: 'say',
      actionables: [
        {
          ...{ id: 1, mode: 'RETURN', value: { n: '$PAYLOAD.n' } },
          ...sending('said', { broadcast_type: 'ROOM', broadcast_to_room: 'lobby' }),
        },
      ],
    },
    {
      id: 'tick',
      resource: 'tick',
      actionables: [
        {
          ...{ id: 1, mode: 'RETURN', value: { at: '$DATETIME' }, cron_job: { execution_interval: '* * * * * *' } },
          ...sending('tick', { broadcast_type: 'ALL' }),
        },
      ],
    },
  ],
};

for (const [name, startDeployment] of [
  ['with sentinels', startRedisSentinel],
  ['as a cluster', startRedisCluster],
] as const)
  describe(`two servers on Redis ${name}`, () => {
    let redis: RedisDeployment;
    let token = '';
    const kernels: TestKernel[] = [];
    const clients: SocketClient[] = [];
    const at = (index: number): TestKernel => kernels[index]!;

    before(async function () {
      const found = await startDeployment();
      if ('skip' in found) return skipTest(this, found.skip);
      redis = found;
      const shared = { use: 'redis', url: '$ENV.REDIS' };
      const config = { websocket: { enabled: true }, cache: shared, relay: shared, scheduler: shared };
      for (let n = 0; n < 2; n++)
        kernels.push(await startKernel({ files: FILES, config, env: { KEY, REDIS: found.url } }));
      clients.push(await connect(at(1).url));
      await clients[0]!.sendRequest('join');
    });
    after(async () => {
      for (const one of [...clients, ...kernels]) await one.close();
      await redis?.stop();
    });

    const send = async (index: number, who: string): Promise<{ status: number; left: number }> => {
      const { status, headers } = await at(index).post('/limited', {}, { headers: { 'x-who': who } });
      return { status, left: Number(headers.get('x-ratelimit-remaining')) };
    };
    const getStatus = async (index: number): Promise<number> =>
      (await at(index).post('/me', {}, createBearerInit(token))).status;
    const isTick = ({ action }: Frame): boolean => action === 'tick';
    const getSecond = ({ data }: Frame): string => String((data as { at?: string }).at).slice(0, 19);

    it('count, revoke, deliver and schedule for both', async () => {
      expect([await send(0, 'ada'), await send(1, 'ada'), await send(0, 'ada')].map(({ left }) => left)).to.deep.equal([
        4, 3, 2,
      ]);
      token = String((await at(0).post('/sign-in', {})).body['token']);
      expect([await getStatus(0), await getStatus(1)]).to.deep.equal([200, 200]);
      expect((await at(0).post('/sign-out', {}, createBearerInit(token))).status).to.equal(200);
      expect([await getStatus(0), await getStatus(1)]).to.deep.equal([401, 401]);
      await at(0).post('/say', { n: 1 });
      expect((await clients[0]!.next(({ action }) => action === 'said')).data).to.deep.equal({ n: 1 });
      const ticks = [await clients[0]!.next(isTick), await clients[0]!.next(isTick)].map(getSecond);
      expect(new Set(ticks).size).to.equal(2);
    });

    it('keep counters and revoked tokens if a server is lost', async () => {
      await redis.lose();
      const seen: number[] = [];
      const lefts: number[] = [];
      const isSettled = async (): Promise<boolean> => {
        const [{ status, left }, revoked] = await Promise.all([send(1, 'ada'), getStatus(1)]);
        seen.push(revoked);
        if (status === 200) lefts.push(left);
        // The replica counts to the limit; without one the status is 503.
        return name === 'with sentinels' ? status === 429 : seen.length >= 20;
      };
      await waitUntil(isSettled);
      expect(seen.filter((status) => ![401, 503].includes(status))).to.deep.equal([]);
      expect(lefts.filter((left) => left > 1)).to.deep.equal([]);
      expect((await at(0).post('/plain')).status).to.equal(200);
      if (name !== 'with sentinels') return;
      // The other server finds the replica by itself.
      await waitUntil(async () => {
        seen.push(await getStatus(0));
        return seen.at(-1) !== 503;
      });
      expect([seen.at(-1), await getStatus(1)]).to.deep.equal([401, 401]);
      let n = 1;
      let received: unknown;
      await waitUntil(async () => {
        await at(0).post('/say', { n: ++n });
        const isLater = ({ action, data }: Frame): boolean => action === 'said' && (data as { n: number }).n > 1;
        return (received ??= clients[0]!.frames.find(isLater)) !== undefined;
      });
      const before = clients[0]!.frames.filter(isTick).length;
      await waitUntil(() => clients[0]!.frames.filter(isTick).length > before + 1);
      const seconds = clients[0]!.frames.filter(isTick).map(getSecond);
      expect(seconds.length).to.equal(new Set(seconds).size);
    });
  });
