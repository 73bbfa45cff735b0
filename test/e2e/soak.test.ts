/**
 * A soak: every feature of the sample at once, over HTTP and WebSocket, with errors and clients that disconnect. The
 * heap after a collection is measured at regular counts of requests. A check sends a few; a deep run continues for ten
 * minutes, or, with SOAK_REQUESTS, to a count.
 */
import { connect as connectTcp } from 'node:net';
import { expect } from 'chai';
import { startCli, type Child } from '../support/child.js';
import { collectHeap, HEAP_PROBE, type HeapSize } from '../support/child-heap.js';
import { createClient, formatRequestHead, type Answer, type Client, type Loose } from '../support/client.js';
import { createFormData, PNG_RED } from '../support/pictures.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import {
  copyQuickSample,
  createTempProject,
  defineQueryResource,
  SAMPLE_ENV,
  type TempProject,
} from '../support/project.js';
import { isDeepRun } from '../support/sample.js';
import { skipTest } from '../support/skip.js';
import { connect } from '../support/sockets.js';
import { createJsonBehaviour, startUpstream, type Upstream } from '../support/upstream.js';
import { waitUntil } from '../support/until.js';
import { createPerson, createWalletInit, PASSWORD, PIN, type Person } from '../support/wallet.js';
import { signHmac } from '../support/webhooks.js';

const CALLERS = 8;
const PEOPLE = 16;
const SAMPLES = 20;
/** Of a check: each step at least once. */
const FEW = 120;
const SOAK_MS = 600_000;
/** Bytes for each request after the first quarter; a retained object takes more. */
const MOST = 40;

const goal = Number(process.env['SOAK_REQUESTS'] ?? 0);

const FILES = {
  'definitions/soak.json': [
    defineQueryResource('streamed', `SELECT n, repeat('x', 1000) AS t FROM generate_series(1, 400) AS n`),
    defineQueryResource('held', `SELECT n, repeat('x', 1000) AS t FROM generate_series(1, 300) AS n`, [], {
      must_return_value: true,
    }),
    {
      id: 'outbound',
      resource: 'outbound',
      actionables: [{ id: 1, mode: 'HTTPREQUEST', http: { url: '$ENV.UPSTREAM/price', method: 'GET' } }],
    },
    defineQueryResource('jobs-left', 'SELECT count(*)::int AS n FROM lintel_jobs'),
  ],
};

describe('soak', function () {
  let project!: TempProject;
  let child!: Child;
  let client!: Client;
  let upstream!: Upstream;
  let url = '';
  const people: Person[] = [];

  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    upstream = await startUpstream(createJsonBehaviour({ price: 7 }));
    const config = {
      connections: { main: { use: 'postgres', url: '$ENV.DATABASE_URL' } },
      outbound: { allow: [`127.0.0.1:${upstream.port}`] },
    };
    project = await createTempProject({ ...FILES, 'lintel.config.json': config });
    await copyQuickSample(project.folder);
    child = startCli(['serve'], {
      cwd: project.folder,
      env: { ...SAMPLE_ENV, PORT: '0', DATABASE_URL: await createPostgresDatabase(), UPSTREAM: upstream.url },
      node: HEAP_PROBE,
    });
    [, url = ''] = await child.waitForOutput(/ready at (http:\S+)/);
    client = countRequests(createClient(url));
    while (people.length < PEOPLE) people.push(await createPerson(client, 1_000_000));
  });
  after(async () => {
    await child?.stop('SIGKILL');
    await upstream?.close();
    await project?.dispose();
  });

  const countRequests = (of: Client): Client => ({
    raw: (bytes) => of.raw(bytes),
    post: (...how) => (requests++, of.post(...how)),
    request: (...how) => (requests++, of.request(...how)),
  });
  const random = (below: number): number => Math.floor(Math.random() * below);
  const pick = (): Person => people[random(PEOPLE)] as Person;
  const staff = { headers: { 'x-staff-token': SAMPLE_ENV.STAFF_TOKEN } };
  let serial = 0;
  let requests = 0;
  /** A machine that is busy with other work has no time for all of them. */
  let rejected = 0;

  const payInto = ({ id }: Person): Promise<Answer<unknown>> => {
    // One of eight is an event that was delivered before.
    const body = JSON.stringify({ event: `evt_${serial - (serial % 8 === 0 ? 8 : 0)}_00000`, wallet: id, amount: 5 });
    const signature = `sha256=${signHmac(body, SAMPLE_ENV.PAYMENT_SECRET)}`;
    return client.post('/payments/webhook', body, { headers: { 'x-payment-signature': signature } });
  };
  async function changePictures(person: Person): Promise<Answer<unknown>> {
    const body = createFormData([{ name: 'file', content: PNG_RED, file: 'red.png', type: 'image/png' }]);
    const added = await client.request<readonly Loose[]>('POST', '/gallery/add', {
      ...createWalletInit(person.token),
      body,
    });
    if (added.status !== 200) return added;
    return person.post('/gallery/remove', [added.body[0]?.['storage_key']]);
  }
  async function talk({ id, token }: Person): Promise<number> {
    const socket = await connect(url, { query: `?uid=${id}`, protocols: ['Authorization', token] });
    for (const resource of ['support/join', 'wallet/watch', 'wallet/deposit', 'support/leave']) {
      requests++;
      const { error } = await socket.sendRequest(resource, resource === 'wallet/deposit' ? { amount: 1 } : {});
      if (error === undefined) continue;
      socket.socket.terminate();
      return Number(error['status']);
    }
    // Half of them disconnect without a close frame.
    if (random(2) === 0) socket.socket.terminate();
    else await socket.close();
    return 200;
  }
  /** A client that disconnects in its request, or before it has read the response. */
  const disconnectClient = (isComplete: boolean): Promise<number> =>
    new Promise((resolve) => {
      requests++;
      const length = { 'content-type': 'application/json', 'content-length': 2 };
      const socket = connectTcp(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => undefined).once('close', () => resolve(200));
      socket.write(`${formatRequestHead('POST', '/streamed', length)}{${isComplete ? '}' : ''}`, () => {
        if (isComplete) socket.once('data', () => socket.destroy());
        else socket.destroy();
      });
    });

  /** Each with how often it is in a round, and the statuses that it may have. */
  const STEPS: readonly (readonly [times: number, step: () => Promise<number | Answer<unknown>>, ...number[]])[] = [
    [5, () => client.post('/rates', {}), 200],
    [5, () => client.post('/health', {}), 200],
    [5, () => pick().post('/profile'), 200],
    [5, () => pick().post('/wallet/history'), 200],
    [2, () => pick().post('/wallet/deposit', { amount: 3, note: `note ${serial}` }), 200, 409],
    [5, () => pick().post('/wallet/deposit', { amount: -3 }), 422],
    [1, () => pick().post('/wallet/transfer', { to_email: pick().email, amount: 1, pin: PIN }), 200, 404],
    [1, () => pick().post('/wallet/statement'), 200],
    [5, () => pick().post('/wallet/search', { words: 'note' }), 200],
    [1, () => pick().post('/wallet/import', { entries: [{ amount: 1, reference: `r${serial}` }] }), 200],
    [5, () => pick().post('/profile/update', { name: `Ada ${serial}` }), 200],
    [5, () => pick().post('/profile/private/update', { phone: `+49 ${serial} 1234` }), 200],
    [5, () => pick().post('/profile/private'), 200, 404],
    [5, () => pick().post('/activity', { limit: 20 }), 200],
    [5, () => pick().post('/gallery'), 200],
    [1, () => changePictures(pick()), 200],
    [5, () => pick().post('/support/say', { text: 'hello' }), 200, 429],
    [5, () => client.post('/support/answer', { wallet: pick().id, text: 'hello' }, staff), 200],
    [5, () => client.post('/announce', { wallets: people.map(({ id }) => id), text: 'hello' }, staff), 200],
    [1, () => payInto(pick()), 202],
    [1, () => client.post('/sign-in', { email: pick().email, password: PASSWORD }), 200, 429],
    [2, () => client.post('/sign-in', { email: `user${serial}@example.org`, password: PASSWORD }), 401],
    [1, () => talk(pick()), 200, 409],
    [1, () => client.post('/outbound', {}), 200],
    [1, () => client.post('/streamed', {}), 200],
    [1, () => client.post('/held', {}), 200],
    [1, () => disconnectClient(true), 200],
    [5, () => disconnectClient(false), 200],
    [5, () => client.post('/profile', {}, createWalletInit(`${pick().token}x`)), 401],
    [5, () => client.post(`/nothing-${serial}`, {}), 404],
    [5, () => client.post('/health', '{"a":'), 400],
    [5, () => client.request('GET', '/openapi.json'), 200, 404],
  ];

  /** Costly steps are not all at once. */
  const ROUND = [1, 2, 3, 4, 5].flatMap((round) => STEPS.filter(([times]) => times >= round));

  async function sendRequests(more: () => boolean): Promise<void> {
    const call = async (): Promise<void> => {
      while (more()) {
        const chosen = ROUND[serial++ % ROUND.length] as (typeof STEPS)[number];
        const [, step, ...statuses] = chosen;
        const answer = await step();
        const status = typeof answer === 'number' ? answer : answer.status;
        if (status === 503) rejected++;
        if (status === 503 || statuses.includes(status)) continue;
        throw new Error(
          `${step.toString()} answered ${status} ${typeof answer === 'number' ? '' : answer.text.slice(0, 500)}`,
        );
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, call));
    upstream.requests.length = 0;
  }

  /** Deferred work runs first. */
  async function measure(): Promise<HeapSize> {
    await waitUntil(async () => (await client.post('/jobs-left', {})).body['n'] === 0, 'no job is left');
    return collectHeap(child);
  }

  it('returns the expected response to every step', async () => {
    await sendRequests(() => serial < FEW);
    expect((await measure()).heap).to.be.greaterThan(0);
    expect(rejected).to.be.lessThan(FEW / 4);
  });

  if (isDeepRun)
    it('does not increase the heap', async function () {
      this.timeout(0);
      const [first, started] = [requests, Date.now()];
      const progress = (): number => (goal > 0 ? (requests - first) / goal : (Date.now() - started) / SOAK_MS);
      const curve: { count: number; heap: number }[] = [];
      for (let sample = 1; sample <= SAMPLES; sample++) {
        await sendRequests(() => progress() < sample / SAMPLES);
        const { heap, external } = await measure();
        curve.push({ count: requests - first, heap });
        const mib = [heap, external].map((bytes) => (bytes / 2 ** 20).toFixed(1));
        const seconds = Math.round((Date.now() - started) / 1000);
        process.stdout.write(
          `      ${requests - first} requests, ${seconds} s: heap ${mib[0]} MiB, external ${mib[1]} MiB, ${rejected} refused\n`,
        );
      }
      const [settled, last] = [curve[SAMPLES / 4 - 1], curve.at(-1)];
      if (settled === undefined || last === undefined) throw new Error('nothing was measured');
      expect((last.heap - settled.heap) / (last.count - settled.count), 'bytes for each request').to.be.lessThan(MOST);
      expect(rejected / requests).to.be.lessThan(0.05);
    });
});
