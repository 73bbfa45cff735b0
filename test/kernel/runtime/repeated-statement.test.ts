/** A repeated statement in a retried transaction: generated values are kept, extracted ones are read again. */
import { expect } from 'chai';
import type { ResourcePlan } from '../../../contract/resource-plan.js';
import { createFault, type Fault } from '../../../contract/fault.js';
import type { Frame, Invocation, PlanTools, Repeat } from '../../../contract/plan.js';
import { createFrame } from '../../../kernel/runtime/frame.js';
import { createRepeatedRun, type Repeatable } from '../../../plugins/queries/shared/repeat.js';

const [KEPT, GENERATED, EXTRACTED] = [0, 1, 2];

describe('repeated statement', () => {
  const sent: unknown[][] = [];
  let ids = 0;
  const statement: Repeatable<readonly unknown[]> = {
    parameters: [],
    batchSize: 100,
    named: (error: Fault) => error,
    bind: (frame: Frame) => [(frame.slots[GENERATED] ??= ++ids), frame.slots[EXTRACTED], frame.payload['sku']],
    run: (values) => {
      sent.push([...values]);
      return Promise.resolve([{ id: values[0] }]);
    },
  };
  const repeat: Repeat = { body: true, name: null, read: () => undefined, pointer: null, optional: false };
  const tools = { allocateSlot: () => KEPT } as unknown as PlanTools;

  it('keeps generated values of every item in a retry, and extracts names again', async () => {
    const { execute, previewFirst: preview } = createRepeatedRun(statement, repeat, tools);
    const plan = { memos: [KEPT, GENERATED], makers: [], slots: 3, results: 1 } as unknown as ResourcePlan;
    const frame = createFrame({ startedAt: 0 } as Invocation, plan);
    frame.payload = [{ sku: 'a' }, { sku: 'b' }] as unknown as Frame['payload'];
    frame.unit = {};
    const previewItem = (item: Frame): object => ({ values: statement.bind(item) });
    const shown = preview(frame, previewItem as never);
    expect(shown).to.deep.equal({ item: '1 of 2', values: [1, undefined, 'a'] });
    for (const seen of ['first', null]) {
      frame.slots[EXTRACTED] = seen;
      await execute(frame);
    }
    expect(sent).to.deep.equal([
      [1, 'first', 'a'],
      [2, 'first', 'b'],
      [1, null, 'a'],
      [2, null, 'b'],
    ]);
    frame.payload = [] as unknown as Frame['payload'];
    expect(preview(frame, previewItem as never)).to.deep.equal({ item: 'none: the list is empty' });
  });

  it('sends nothing after the batch in which a value was rejected', async () => {
    let runs = 0;
    const failing: typeof statement = {
      ...statement,
      run: () => (++runs === 3 ? Promise.reject(new Error('refused')) : Promise.resolve([])),
    };
    const { execute } = createRepeatedRun(failing, repeat, tools);
    const frame = createFrame(
      { startedAt: 0 } as Invocation,
      { memos: [KEPT], makers: [], slots: 3, results: 1 } as never,
    );
    frame.payload = Array.from({ length: 1000 }, () => ({})) as unknown as Frame['payload'];
    frame.unit = {};
    let rejected: unknown;
    await execute(frame).catch((error: unknown) => (rejected = error));
    expect((rejected as Error).message).to.equal('refused');
    expect(runs).to.be.within(3, 200);
  });

  describe('with a rejected value', () => {
    const issue = { pointer: '/sku', code: 'taken', detail: 'is taken' };
    async function catchPointer(where: Partial<Repeat>, payload: unknown): Promise<unknown> {
      const failing: typeof statement = {
        ...statement,
        run: () => Promise.reject(createFault('QRY_UNIQUE', {}, { issues: [issue] })),
      };
      const frame = createFrame(
        { startedAt: 0 } as Invocation,
        { memos: [KEPT], makers: [], slots: 3, results: 1 } as never,
      );
      frame.payload = payload as Frame['payload'];
      const { execute } = createRepeatedRun(failing, { ...repeat, ...where }, tools);
      const rejected = await execute(frame).catch((error: unknown) => error);
      return (rejected as Fault).options.issues?.map(({ pointer }) => pointer);
    }

    it('names the item in a list of the payload', async () => {
      expect(await catchPointer({}, [{ sku: 'a' }])).to.deep.equal(['/0/sku']);
      const items = { body: false, pointer: '/items', read: () => [{ sku: 'a' }] };
      expect(await catchPointer(items, { items: [{ sku: 'a' }] })).to.deep.equal(['/items/0/sku']);
    });

    it('names the field outside the list', async () => {
      const items = { body: false, pointer: '/items', read: () => [{ amount: 1 }] };
      expect(await catchPointer(items, { sku: 'a', items: [{ amount: 1 }] })).to.deep.equal(['/sku']);
    });

    it('names no item of a list that the client did not send', async () => {
      expect(await catchPointer({ body: false, read: () => [{ sku: 'a' }] }, {})).to.deep.equal(['/sku']);
    });
  });
});
