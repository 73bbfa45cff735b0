/**
 * `generate` / `for` over real HTTP and on plans: where the name is known, the scope of its value, and what takes
 * precedence.
 */
import { createTestInvocation } from '../support/invocation.js';
import { expect } from 'chai';
import type { Frame } from '../../contract/plan.js';
import { createFrame } from '../../kernel/runtime/frame.js';
import { isGenerated } from '../conform/id-check.js';
import { describeOnDatabase, startKernel, type TestKernel } from '../support/kernel.js';

const FILES = {
  'definitions/models/_note.model.json': {
    id: { type: 'String', primary_key: true },
    parent: { type: 'String', optional: true },
    text: { type: 'String', optional: true },
  },
  'definitions/resources.json': [
    {
      id: 'add',
      resource: 'add',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          generate: { generate: 'ULID', for: 'id' },
          payload_validation: [{ field: { text: { type: 'STRING' } } }],
          sql_query: { query: 'INSERT INTO notes (id, text) VALUES ($1, $2)', parameters: ['id', 'text'] },
        },
        {
          id: 2,
          mode: 'QUERY',
          generate: 'CUID2',
          for: 'child',
          sql_query: {
            query: 'INSERT INTO notes (id, parent, text) VALUES ($1, $2, $3)',
            parameters: ['child', '$PAYLOAD.id', 'text'],
          },
        },
      ],
      returnables: ['id', 'parent', 'text'],
    },
    {
      id: 'names',
      resource: 'names',
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          value: { key: '$PAYLOAD.key' },
          generate: [
            { generate: '$GENERATOR.NANOID', for: 'key' },
            { generate: 'KSUID', for: 'other' },
          ],
        },
      ],
      returnables: ['key', 'other'],
    },
  ],
};

describeOnDatabase('generate', { files: FILES }, (kernel) => {
  it('is the same for this actionable and for those after it, and another for the next request', async () => {
    const answers = await Promise.all([1, 2].map((n) => kernel().post('/add', { text: `note ${n}` })));
    for (const { status, text, body } of answers) {
      expect(status, text).to.equal(200);
      expect(isGenerated('CUID2', String(body['id']))).to.equal(true);
      expect(isGenerated('ULID', String(body['parent']))).to.equal(true);
    }
    expect(new Set(answers.map(({ body }) => body['parent'])).size).to.equal(2);
  });

  it('ignores a payload value of that name', async () => {
    const { body } = await kernel().post('/add', { text: 'x', id: 'mine', child: 'mine' });
    expect(isGenerated('CUID2', String(body['id']))).to.equal(true);
    expect(isGenerated('ULID', String(body['parent']))).to.equal(true);
  });

  it('can be named in `returnables`', async () => {
    const { body } = await kernel().post('/names', {});
    expect(isGenerated('NANOID', String(body['key']))).to.equal(true);
    expect(isGenerated('KSUID', String(body['other']))).to.equal(true);
  });
});

describe('scope of generated values', () => {
  let kernel: TestKernel;
  before(async () => {
    const defineReturnOfKey = (id: number, rest: object = {}): object => ({
      id,
      mode: 'RETURN',
      value: '$PAYLOAD.key',
      generate: 'UUID',
      for: 'key',
      ...rest,
    });
    const pick = (id: number, name: string): object => ({ extract: 'self_', for: `${name}${id}` });
    kernel = await startKernel({
      files: {
        'definitions/a.json': [
          { id: 'one', resource: 'one', actionables: [defineReturnOfKey(1)] },
          {
            id: 'each',
            resource: 'each',
            actionables: [
              defineReturnOfKey(1, { extract_response_for: [pick(1, 'at')] }),
              defineReturnOfKey(2, { extract_response_for: [pick(2, 'at')] }),
              { id: 3, mode: 'RETURN', value: ['$PAYLOAD.at1', '$PAYLOAD.at2', '$PAYLOAD.key'] },
            ],
          },
          {
            id: 'extracted',
            resource: 'extracted',
            actionables: [
              { id: 1, mode: 'RETURN', no_op: true, value: { key: 'taken out' } },
              defineReturnOfKey(2, {
                depends_on: [
                  { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'key', for: 'key' }] },
                ],
              }),
            ],
          },
        ],
      },
    });
  });
  after(() => kernel.close());

  it('is one actionable that generates the name; later ones read the latest', async () => {
    const { body } = await kernel.post<string[]>('/each', {});
    const [first, second, last] = body;
    expect(isGenerated('UUID', String(first))).to.equal(true);
    expect(first).not.to.equal(second);
    expect(last).to.equal(second);
  });

  it('ends where a value from a result takes precedence', async () => {
    expect((await kernel.post('/extracted', {})).body).to.equal('taken out');
  });

  const invocation = createTestInvocation();

  /** Runs the actionable on the frame like `invoke`, and returns the value of the name. */
  const run = (frame: Frame): unknown => {
    const action = kernel.kernel.plans().byId.get('one')!.groups[0]!.actions[0]!;
    for (const step of action.before ?? []) void step.run(frame, { result: null });
    return action.execute(frame);
  };

  it('includes work that runs again on the same frame', () => {
    const frame = createFrame(invocation, kernel.kernel.plans().byId.get('one')!);
    const first = run(frame);
    expect(isGenerated('UUID', String(first))).to.equal(true);
    expect(run(frame)).to.equal(first);
  });

  it('is each item of a list, and the request keeps its own value', () => {
    const action = kernel.kernel.plans().byId.get('one')!.groups[0]!.actions[0]!;
    const frame = createFrame(invocation, kernel.kernel.plans().byId.get('one')!);
    const whole = run(frame);
    const items = [{}, {}, {}].map((item) => action.execute(frame.forkFrame(item)));
    expect(new Set([whole, ...items]).size).to.equal(4);
    expect(items.every((id) => isGenerated('UUID', String(id)))).to.equal(true);
    expect(action.execute(frame)).to.equal(whole);
    expect(run(frame)).to.equal(whole);
  });

  it('does not begin for items of a frame without a generated value', () => {
    const plan = kernel.kernel.plans().byId.get('one')!;
    expect(
      createFrame(invocation, plan)
        .forkFrame({})
        .slots.every((value) => value === undefined),
    ).to.equal(true);
  });
});
