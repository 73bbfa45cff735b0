/**
 * Attacks on deferred work that could be lost, doubled, half executed or executed with other values after a 2xx: on
 * every queue store what a store decides, and once the effects of definitions that change while jobs wait.
 */
import { expect } from 'chai';
import { waitUntil } from '../support/until.js';
import type { JobView } from '../../contract/deferred.js';
import { QUEUE_MODELS, QUEUE_OUTBOX, QUEUE_RESOURCES, QUEUE_SCRIPT, STORED_VALUES } from '../support/queue-attacks.js';
import { CHANGES } from '../support/queue-changes.js';
import { STEP_STORES, startStepKernel, type StepKernel } from '../support/job-steps.js';
import { waitForValue } from '../support/jobs.js';
import { sampleTests } from '../support/sample.js';
import { skipTest } from '../support/skip.js';
import { createBearerInit, KEY, signJwt } from '../support/tokens.js';

const FILES = {
  'definitions/models.json': QUEUE_MODELS,
  'definitions/all.json': QUEUE_RESOURCES,
  'migrations/0001-deferred.sql': QUEUE_SCRIPT,
};

const sortByPlace = (bodies: readonly unknown[]): readonly unknown[] =>
  (bodies as { i: number }[]).toSorted((one, other) => one.i - other.i);
/** Stores in which the tables of requests are not. */
const OUTBOX = new Set(['redis', 'mongo']);

for (const { name, make } of STEP_STORES)
  describe(`attacks on the queue (${name})`, function () {
    let steps!: StepKernel;
    before(async function () {
      const store = await make();
      if ('skip' in store) return skipTest(this, store.skip);
      const files = { ...FILES, ...(OUTBOX.has(name) && { 'definitions/outbox.json': QUEUE_OUTBOX }) };
      steps = await startStepKernel({ ...store, env: { ...store.env, KEY } }, files);
    });
    after(() => steps?.close());
    afterEach(async () => {
      steps.failNext(0);
      for (const admin of steps.kernel.kernel.listJobAdmins()) await admin.purge({ dead: true });
    });

    const post = async (path: string, body: unknown, status = 202): Promise<void> => {
      const answer = await steps.kernel.post(`/${path}`, body);
      expect([path, answer.status], answer.text).to.deep.equal([path, status]);
    };
    const waitForJobs = (holds: (jobs: readonly JobView[]) => boolean): Promise<readonly JobView[]> =>
      waitForValue(() => steps.jobs(), holds);
    /** A queue in another store receives jobs after the commit. */
    const settle = async (): Promise<void> => {
      if (OUTBOX.has(name))
        await waitForValue(
          () => steps.rows('outbox'),
          ({ length }) => length === 0,
        );
      await waitForJobs((jobs) => jobs.every(({ state }) => state === 'dead'));
    };
    const rows = async (ref: string): Promise<readonly unknown[]> =>
      (await steps.rows('orders')).filter((row) => row['ref'] === ref).map(({ n }) => n);
    const bodies = (): readonly unknown[] => steps.calls().map(({ body }) => body);

    it('keep values equal to those of a synchronous request', async () => {
      steps.failNext(0);
      const texts = STORED_VALUES.map((value, i) => `{"i":${i},"v":${value}}`);
      const say = (path: string): Promise<number[]> =>
        Promise.all(texts.map(async (text) => (await steps.kernel.post(path, text as never)).status));
      const statuses = await say('/say-now');
      const direct = sortByPlace(bodies());
      steps.failNext(0);
      expect(await say('/say-later')).to.deep.equal(statuses.map((status) => (status === 200 ? 202 : status)));
      await settle();
      expect(sortByPlace(bodies())).to.deep.equal(direct);
      expect(direct.length).to.be.greaterThan(12);
    });

    it('store no work after a conflict at the commit of a request', async () => {
      await post('claim', { ref: 'taken' }, 200);
      await settle();
      steps.failNext(0);
      await post('claim', { ref: 'taken' }, 409);
      expect([await steps.jobs(), bodies(), await rows('taken')]).to.deep.equal([[], [], [1]]);
    });

    it('do not end a job by a conflict at its commit, and send nothing', async () => {
      let messages = 0;
      steps.kernel.kernel.running.registerReceiver(() => void messages++);
      await post('claim-later', { ref: 'later' });
      await settle();
      // Redis passes messages on after the work has ended.
      await waitUntil(() => messages === 1, 'the message of the first work');
      await post('claim-later', { ref: 'later' });
      const [job] = await waitForJobs(([one]) => one?.state === 'dead');
      expect([job?.failure?.code, await rows('later'), messages]).to.deep.equal(['QRY_UNIQUE', [1], 1]);
    });

    it('accept one job for each of the concurrent requests on a row', async () => {
      await post('open', { ref: 'met' }, 200);
      steps.failNext(0);
      await Promise.all(Array.from({ length: 12 }, () => post('add', { ref: 'met' }, 200)));
      await settle();
      expect(
        bodies()
          .map((body) => (body as { n: number }).n)
          .sort((a, b) => a - b),
      ).to.deep.equal(Array.from({ length: 12 }, (_, n) => n + 1));
    });

    it('run a dead job once that is retried ten times concurrently', async () => {
      steps.failNext(1);
      await post('once', { ref: 'again' });
      const [job] = await waitForJobs(([one]) => one?.state === 'dead');
      const answers = await Promise.all(Array.from({ length: 10 }, () => steps.retry(job!.id)));
      await settle();
      expect(answers.filter(Boolean)).to.have.length(1);
      expect([await rows('again'), bodies().length]).to.deep.equal([[1], 2]);
    });

    it('run a job at most once that is removed while it is retried', async () => {
      steps.failNext(1);
      await post('once', { ref: 'removed' });
      const [job] = await waitForJobs(([one]) => one?.state === 'dead');
      const [admin] = steps.kernel.kernel.listJobAdmins();
      const [isBack] = await Promise.all([steps.retry(job!.id), admin!.purge({ id: job!.id })]);
      await settle();
      expect(await rows('removed')).to.deep.equal([1]);
      expect(bodies().length).to.be.at.most(isBack ? 2 : 1);
      expect(await steps.jobs()).to.deep.equal([]);
    });

    it('retry only the failed one of two jobs of one request', async () => {
      await post('both', { ref: 'both', fail: true }, 200);
      const [job] = await waitForJobs((jobs) => jobs.length === 1 && jobs[0]?.state === 'dead');
      await post('mend', { ref: 'both' }, 200);
      expect(await steps.retry(job!.id)).to.equal(true);
      await settle();
      expect((await rows('both')).toSorted()).to.deep.equal([1, 2]);
    });

    it('keep generated values of the request in each attempt', async () => {
      steps.failNext(2);
      await post('made', { ref: 'made' }, 200);
      await settle();
      expect(bodies()).to.have.length(3);
      expect(new Set(bodies().map((body) => JSON.stringify(body)))).to.have.length(1);
      expect(new Set(steps.calls().map(({ key }) => key))).to.have.length(1);
    });

    it('use separate keys for jobs of one request', async () => {
      steps.failNext(0);
      await post('pair', { ref: 'pair' }, 200);
      await post('pair', { ref: 'pair' }, 200);
      await settle();
      expect(new Set(steps.calls().map(({ key }) => key))).to.have.length(4);
    });

    it('defer nothing for a request that stops early', async () => {
      await post('event', { ref: 'event' }, 200);
      await post('event', { ref: 'event' }, 200);
      await settle();
      expect(await rows('event')).to.deep.equal([1]);
    });

    it('write no part of a list with one item that fails', async () => {
      await post('listed', [
        { ref: 'list', n: 1 },
        { ref: 'list', n: 2 },
        { ref: 'list', n: 2 },
      ]);
      await waitForJobs(([one]) => one?.state === 'dead');
      expect(await rows('list')).to.deep.equal([]);
    });

    it('count a request once in a limit of a dependency, not each attempt', async () => {
      steps.failNext(2);
      await post('limited', { ref: 'limit' });
      await settle();
      expect([await steps.jobs(), bodies().length]).to.deep.equal([[], 3]);
    });

    it('keep the claim of the caller whose request was accepted', async () => {
      steps.failNext(0);
      for (const id of ['ada', 'bob']) {
        const { status } = await steps.kernel.post('/claimed', {}, createBearerInit(await signJwt({ id }, KEY)));
        expect(status).to.equal(202);
      }
      await settle();
      expect(
        bodies()
          .map((body) => (body as { who: string }).who)
          .sort(),
      ).to.deep.equal(['ada', 'bob']);
    });

    if (name !== 'embedded') sampleTests('kills', this, 5);
  });

describe('definitions that change while jobs wait', () => {
  let steps!: StepKernel;
  before(async function () {
    const store = await STEP_STORES[0]!.make();
    if ('skip' in store) throw new Error(store.skip);
    steps = await startStepKernel(
      {
        ...store,
        env: { KEY, FIELD_KEY: 'k1'.repeat(16), QUEUE_ENCRYPTION_KEY: 'Zp3Xw8Tn1Kb6Vy4Mr9Ls2Jd7Gh5Qc0Fa' },
        connections: { ...store.connections, second: { use: 'pglite', path: 'memory://' } },
      },
      { ...FILES, 'definitions/all.json': [...QUEUE_RESOURCES, ...CHANGES.map(({ first }) => first)] },
    );
  });
  after(() => steps?.close());

  for (const { what, first, then, body = {}, done, code } of CHANGES)
    it(what, async () => {
      const { kernel, project } = steps.kernel;
      const { id } = first as { id: string };
      const list = (one: object): readonly object[] => [
        ...QUEUE_RESOURCES,
        ...CHANGES.map((change) => (change.first === first ? one : change.first)),
      ];
      steps.failNext(done === undefined ? 0 : 1);
      const accepted = await steps.post(`/${id}`, { ref: id, ...body });
      expect(accepted.status, accepted.text).to.equal(202);
      if (done !== undefined) {
        await steps.post('/due', {});
        await waitForValue(
          () => steps.jobs(),
          ([job]) => job?.state === 'dead',
        );
      }
      await project.write('definitions/all.json', list(then));
      const { applied } = await kernel.reload();
      expect(applied).to.equal(true);
      if (done === undefined) await steps.post('/due', {});
      else for (const { id: job } of await steps.jobs()) await steps.retry(job);
      const [job] = await waitForValue(
        () => steps.jobs(),
        ([one]) => one === undefined || one.state === 'dead',
      );
      expect(job?.failure?.code ?? null).to.equal(code);
      const orders = (await steps.rows('orders')).filter(({ ref }) => ref === id);
      const others = (await steps.rows('others')).filter(({ ref }) => ref === id);
      expect(orders.length + others.length).to.equal(done ?? (code === null ? 1 : 0));
      await kernel.listJobAdmins()[0]?.purge({ dead: true });
    });
});
