/** Payload of deferred jobs: only what the work reads, and no secret of a result. */
import { expect } from 'chai';
import { compileJobPayload } from '../../../plugins/triggers/deferred-work/job-payload.js';
import { compileWork } from '../../../plugins/triggers/deferred-work/runner.js';
import { createPartSource } from '../../../kernel/plan/parts.js';
import { createTools, type ResourceScope } from '../../../kernel/plan/tools.js';
import type { DeferredState } from '../../../contract/deferred.js';
import type { Fault } from '../../../contract/fault.js';
import type { Json } from '../../../contract/json.js';
import type { ActionModel } from '../../../language/analysis/model.js';
import { createTestInvocation } from '../../support/invocation.js';
import { createActionModel, createTestFrame, createResourceModel, createTestScope } from '../../support/scopes.js';

const before = createActionModel(1, { secrets: ['pin'] });
const later = createActionModel(2, { depends: ['notes#1'] });
const sequence = [before, later];
const compileInputs = (scope: ResourceScope, actions: readonly ActionModel[]) =>
  compileJobPayload({ ...createPartSource(scope, 'notes#2', actions), stages: null, findInbox: () => null });
const resource = createResourceModel({ names: new Set(['found']), generated: new Set(['code']) });
const scopeWith = (read: Json, prepare: (scope: ResourceScope) => void = () => undefined): ResourceScope => {
  const scope = createTestScope({ resource, sequence });
  prepare(scope);
  const tools = createTools(scope, later, 'feature:plain');
  tools.value(read);
  tools.recordResultRead(0, []);
  return scope;
};
const carry = (read: Json, action = later, prepare?: (scope: ResourceScope) => void) =>
  compileInputs(scopeWith(read, prepare), [action]);

const sent = { title: 'x', body: { a: 1 }, other: 'y' };
const invocation = createTestInvocation(sent, { headers: { 'x-tenant': 't', cookie: 'c' }, remote: '192.0.2.7' });
const frame = (rest: object = {}) =>
  createTestFrame({
    ...{ payload: sent, claims: { user: { id: 7 }, role: 'r' }, invocation },
    ...{ results: [{ id: 5, pin: 1234, rows: [{ pin: 1, name: 'n' }] }, null], slots: ['slot 0', 'slot 1'] },
    ...rest,
  });
const NOTHING: DeferredState = {
  ...{ payload: {}, claims: {}, headers: {}, remote: '', names: {}, made: [] },
  results: { 'notes#1': { id: 5, rows: [{ name: 'n' }] } },
};

describe('job payload of deferred work', () => {
  const cases: readonly (readonly [Json, Partial<DeferredState>])[] = [
    ['nothing', {}],
    ['$PAYLOAD.title', { payload: { title: 'x' } }],
    [['$PAYLOAD.title', '$PAYLOAD.body'], { payload: { title: 'x', body: { a: 1 } } }],
    ['$PAYLOAD.none', {}],
    ['$PAYLOAD', { payload: sent }],
    ['$TOKEN.user.id', { claims: { user: { id: 7 } } }],
    ['$HEADER.x-tenant', { headers: { 'x-tenant': 't' } }],
    ['$HEADER.none', {}],
    ['$IP', { remote: '192.0.2.7' }],
    ['$ENV.REGION', {}],
    ['$PAYLOAD.found', { names: { 'notes:found': 'slot 0' } }],
  ];
  for (const [read, expected] of cases)
    it(`contains what the work reads: ${JSON.stringify(read)}`, () => {
      expect(carry(read).serialize(frame(), sent)).to.deep.equal({ ...NOTHING, ...expected });
    });

  it('contains a whole list', () => {
    expect(carry('$PAYLOAD.title').serialize(frame(), [1, 2] as never).payload).to.deep.equal([1, 2]);
  });

  it('contains no claims without a token', () => {
    expect(carry('$PAYLOAD.title').serialize(frame({ claims: null }), sent).claims).to.equal(null);
  });

  it('does not contain what only another actionable reads', () => {
    const state = carry(
      'nothing',
      later,
      (scope) => void createTools(scope, before, 'feature:plain').value('$PAYLOAD.title'),
    );
    expect(state.serialize(frame(), sent).payload).to.deep.equal({});
  });

  it('contains neither results of its own actionables nor results that it does not read', () => {
    const free: ActionModel = createActionModel(3);
    expect(carry('nothing', free).serialize(frame(), sent).results).to.deep.equal({});
    const both = compileInputs(scopeWith('nothing'), sequence);
    expect(both.serialize(frame(), sent).results).to.deep.equal({});
  });

  it('contains the result whose items it iterates', () => {
    const repeat = { from: 'result', name: null, body: false, action: 'notes#1', fields: null } as const;
    const repeated = createActionModel(2, { repeat });
    const scope = createTestScope({ resource, sequence: [before, repeated] });
    createTools(scope, repeated, 'feature:plain');
    const { results } = compileInputs(scope, [repeated]).serialize(frame(), sent);
    expect(results).to.deep.equal(NOTHING.results);
  });

  it('is rejected at the request if it reads what the request does not have', () => {
    expect(() => carry('$TOKEN.none').serialize(frame(), sent))
      .to.throw()
      .that.satisfies(({ code }: Fault) => code === 'ACC_CLAIM');
  });

  it('contains generated values, if they are text or numbers', () => {
    const carryValue = (value: unknown) => {
      const one = carry('$NEW', later, (scope) => (scope.slots.count = 20));
      return one.serialize(frame({ slots: Object.assign([], { 9: value }) }), sent).made;
    };
    expect([carryValue('id'), carryValue(5), carryValue({}), carryValue(undefined)]).to.deep.equal([
      [['notes#2 1', 'id']],
      [['notes#2 1', 5]],
      [],
      [],
    ]);
  });

  it('contains a generated name, by the actionable that generates it', () => {
    const scope = scopeWith(
      'nothing',
      (one) => void createTools(one, later, 'feature:plain').assignGenerated('code', () => 'made'),
    );
    const state = compileInputs(scope, [later]).serialize(frame({ slots: [] }), sent);
    expect(state.made).to.deep.equal([['notes#2 notes:code', 'made']]);
    expect(compileInputs(scope, [before]).serialize(frame({ slots: [] }), sent).made).to.deep.equal([]);
  });
});

describe('job', () => {
  const source = {
    ...createPartSource(scopeWith('$PAYLOAD.title'), 'notes#2', [later]),
    ...{ stages: null, findInbox: () => null },
  };
  const work = compileWork(source);
  const createJob = (rest: object = {}) =>
    work.createJob('j', frame({ invocation: createTestInvocation(sent, { startedAt: 7, ...rest }) }), sent);

  it('names its part and contains what the part reads', () => {
    const state = { ...NOTHING, payload: { title: 'x' } };
    const { version, needs } = work;
    expect(createJob()).to.deep.equal({
      ...{ id: 'j', resource: 'notes', part: 'notes#2', version, needs, acceptedAt: 7, state },
    });
  });

  it('contains the trace of the request, if there is one', () => {
    const trace = { traceparent: '00-a' };
    expect(createJob({ trace }).state).to.deep.equal({ ...createJob().state, trace });
  });
});

describe('input of deferred work', () => {
  const carrying = carry(['$PAYLOAD.found', '$NEW']);
  const state: DeferredState = {
    ...NOTHING,
    ...{ names: { 'notes:found': 'f', 'notes:strange': 's' }, results: { 'notes#1': 'r', 'notes#9': 'x' } },
    made: [
      ['notes#2 1', 'made'],
      ['notes#3 1', 'strange'],
    ],
  };
  const restoreState = (version: string, from = state) => {
    const target = frame({ slots: [], results: [] });
    carrying.restore(from, target, version);
    return [{ ...target.slots }, { ...target.results }];
  };

  it('contains only the names, results and generated values that it reads', () => {
    expect(restoreState(carrying.version)).to.deep.equal([{ 0: 'f', 9: 'made' }, { 0: 'r' }]);
  });

  it('contains values generated at the same place, also by another version', () => {
    expect(restoreState('other')).to.deep.equal(restoreState(carrying.version));
  });

  it('accepts the slots of versions before 0.7, unless their meaning has changed', () => {
    const before = { ...state, made: [[9, 'made']] } as never;
    expect(restoreState(carrying.version, before)).to.deep.equal(restoreState(carrying.version));
    expect(restoreState('other', before)).to.deep.equal([{ 0: 'f' }, { 0: 'r' }]);
  });

  it('contains no name that was not in the job', () => {
    expect(restoreState(carrying.version, { ...state, names: {}, made: [] })[0]).to.deep.equal({});
  });
});

describe('version of deferred work', () => {
  const [one, two] = [carry('$PAYLOAD.title'), carry('$PAYLOAD.title')];
  it('is equal for equal definitions', () => {
    expect([one.version, one.needs]).to.deep.equal([two.version, two.needs]);
    expect(one.findMissing(two.needs)).to.equal(null);
    expect(one.version).to.match(/^[0-9a-f]{16}$/);
  });

  it('changes with each accessor that is read, in any order', () => {
    const needs = ['x', '$PAYLOAD', '$PAYLOAD.a', '$PAYLOAD.found', '$HEADER.b', '$IP', '$TOKEN.c'].map(
      (read) => carry(read).needs,
    );
    expect(new Set(needs.map(String)).size).to.equal(needs.length);
    expect(carry(['$PAYLOAD.a', '$IP', '$PAYLOAD.b']).needs).to.deep.equal(
      carry(['$PAYLOAD.b', '$PAYLOAD.a', '$IP']).needs,
    );
  });

  it('distinguishes names of the payload from those of headers', () => {
    const sent = carry('$PAYLOAD.a').needs;
    expect(carry('$HEADER.a').findMissing(sent)).to.equal('header:a');
    expect(carry('$TOKEN.a').findMissing(sent)).to.equal('claim:a');
    expect(carry(['$PAYLOAD.a', '$PAYLOAD.b']).findMissing(sent)).to.equal('payload:b');
  });

  it('matches definitions that read less', () => {
    expect(carry('nothing').findMissing(carry('$PAYLOAD.a').needs)).to.equal(null);
    expect(carry('$PAYLOAD.a').findMissing(carry('$PAYLOAD').needs)).to.equal(null);
    expect(carry('$PAYLOAD').findMissing(carry('$PAYLOAD.a').needs)).to.equal('payload:*');
  });

  it('changes with the definition of the work, also if it reads the same', () => {
    const changed = carry('$PAYLOAD.title', { ...later, value: { id: 2, mode: 'OTHER' } });
    expect(changed.version).not.to.equal(one.version);
  });
});
