/**
 * Attacks on deferred work: every kind of job with every possible fault, one at a time. Whatever fails and wherever a
 * process ends, rows exist once, and repeated calls are the same calls with the same key.
 */
import { expect } from 'chai';
import { runAttack, type AttackResult, type Fault } from '../support/job-attacks.js';
import { CASES, MODELS, RESOURCES, type Case } from '../support/job-attack-cases.js';
import { STEP_STORES, startStepKernel, type StepKernel } from '../support/job-steps.js';
import { waitForValue } from '../support/jobs.js';
import { sampleCases } from '../support/sample.js';

/** All possible faults of a run with so many calls and notes. */
const listFaults = ({ calls, writes }: AttackResult): Fault[] => {
  const each = (count: number, make: (at: number) => Fault): Fault[] =>
    Array.from({ length: count }, (_, at) => make(at + 1));
  return [
    { again: true },
    ...each(calls.length, (failedCall) => ({ failedCall })),
    ...each(writes, (lostNote) => ({ lostNote })),
    ...each(writes, (keptNote) => ({ keptNote })),
  ];
};

describe('attacks on jobs', () => {
  let steps: StepKernel;
  before(async () => {
    const store = await STEP_STORES[0]!.make();
    if ('skip' in store) throw new Error(store.skip);
    const connections = { ...store.connections, second: { use: 'pglite', path: 'memory://' } };
    steps = await startStepKernel(
      { ...store, connections },
      { 'definitions/models.json': MODELS, 'definitions/all.json': RESOURCES },
    );
    await steps.post('/begin', {});
  });
  after(() => steps.close());

  let number = 0;
  let total = 0;
  async function readRows(ref: string): Promise<readonly string[]> {
    const found = await Promise.all(
      ['rows', 'others', 'parts'].map((table) => steps.kernel.post<{ what: string }[]>(`/all-${table}`, { ref })),
    );
    return found.flatMap(({ body }) => body.map(({ what }) => what));
  }
  async function run({ name, body }: Case, fault: Fault): Promise<AttackResult & { readonly rows: readonly string[] }> {
    const ref = `${name} ${++number}`;
    const done = await runAttack(steps, name, { ref, ...body }, fault);
    const before = total;
    const rows = (await readRows(ref)).map((row) => {
      if (!row.startsWith('total ')) return row;
      total = Number(row.slice('total '.length));
      return `grew by ${total - before}`;
    });
    return { ...done, rows };
  }
  const different = ({ calls }: AttackResult): number => new Set(calls.map(({ body }) => JSON.stringify(body))).size;

  for (const one of sampleCases('kills', 'attacks on jobs', CASES, 8))
    it(`run once what runs once: ${one.name}`, async () => {
      const plain = await run(one, {});
      expect(plain.outcomes).to.deep.equal(['done']);
      for (const fault of listFaults(plain)) {
        const attacked = await run(one, fault);
        const what = JSON.stringify([fault, attacked.outcomes]);
        expect(attacked.outcomes.at(-1), what).to.equal('done');
        expect(attacked.rows, what).to.deep.equal(plain.rows);
        expect(different(attacked), what).to.equal(different(plain));
        expect(new Set(attacked.calls.map(({ key }) => key)).size, what).to.equal(Math.min(1, plain.calls.length));
        expect(attacked.messages, what).to.equal(plain.messages);
      }
    });

  const idle = (): Promise<unknown> =>
    waitForValue(
      () => steps.jobs(),
      ({ length }) => length === 0,
    );

  it('are accepted in the transaction of documents if statements accept work too', async () => {
    for (const path of ['row-then', 'part-then']) {
      const { status } = await steps.post(`/${path}`, { ref: path });
      expect([path, status]).to.deep.equal([path, 200]);
      await idle();
    }
    expect((await readRows('part-then')).filter((what) => !what.startsWith('total'))).to.deep.equal([
      'row later',
      'first',
    ]);
  });

  it('are rolled back if another process has claimed the job meanwhile', async () => {
    await steps.post('/moved', { ref: 'moved' });
    const [dead] = await waitForValue(
      () => steps.jobs(),
      ([job]) => job?.state === 'dead',
    );
    expect(dead?.failure?.code).to.equal('JOB_STOPPED');
    expect((await readRows('moved')).filter((what) => what.startsWith('row'))).to.deep.equal([]);
    await steps.kernel.kernel.listJobAdmins()[0]?.purge({ dead: true });
  });

  it('wait while their resource is under maintenance, without an attempt', async () => {
    const { kernel, project } = steps.kernel;
    const switched = async (maintenance: boolean): Promise<void> => {
      const changed = RESOURCES.map((one) => ('id' in one && one.id === 'switched' ? { ...one, maintenance } : one));
      await project.write('definitions/all.json', changed);
      expect((await kernel.reload()).applied).to.equal(true);
    };
    await steps.post('/switched', { ref: 'switched' });
    await switched(true);
    await steps.post('/due', {});
    const [waiting] = await waitForValue(
      () => steps.jobs(),
      ([job]) => job?.failure !== null,
    );
    expect(waiting).to.deep.include({ state: 'waiting', attempts: 0 });
    expect(waiting?.failure?.code).to.equal('RES_MAINTENANCE');
    await switched(false);
    await idle();
    expect(await readRows('switched')).to.include('row let in');
  });
});
