/**
 * Facts recorded while plugins plan a place: request data that is read (caches and deferred work depend on it), sources
 * of names and parameters, tables and secrets.
 */
import { expect } from 'chai';
import type { ActionModel, RepeatModel } from '../../../language/analysis/model.js';
import { createTools, type ResourceScope } from '../../../kernel/plan/tools.js';
import { BootError } from '../../../contract/boot-error.js';
import type { Fault } from '../../../contract/fault.js';
import type { ModelColumn, ModelTable } from '../../../contract/model.js';
import { createActionModel, createTestFrame, createResourceModel, createTestScope } from '../../support/scopes.js';

const PLAIN = 'feature:plain';
const named = createResourceModel({ names: new Set(['found']), generated: new Set(['code']) });
const toolsIn = (scope: ResourceScope, action: ActionModel | null = null, plugin = PLAIN) =>
  createTools(scope, action, plugin);

/** Without the readers, which have no form to compare. */
const listReads = (scope: ResourceScope) =>
  scope.reads.map(({ place }) => Object.fromEntries(Object.entries(place).filter(([name]) => name !== 'read')));

describe('request data that a plugin reads', () => {
  const cases: Readonly<Record<string, readonly object[]>> = {
    'plain text': [],
    '$PAYLOAD.title': [{ from: 'payload', field: 'title', slot: null }],
    $PAYLOAD: [{ from: 'payload', field: null, slot: null }],
    '$PAYLOAD.found.id': [{ from: 'payload', field: 'found', slot: 0 }],
    '$PAYLOAD.code': [{ from: 'payload', field: 'code', slot: 0 }],
    '$TOKEN.user.id': [{ from: 'claims', path: ['user', 'id'] }],
    '$HEADER.x-tenant': [{ from: 'elsewhere', header: 'x-tenant' }],
    $IP: [{ from: 'elsewhere', remote: true }],
    $FIXED: [],
    $OTHER: [{ from: 'elsewhere' }],
    '$ENV.REGION': [],
    $NEW: [],
    'to $PAYLOAD.a from $PAYLOAD.b': ['a', 'b'].map((field) => ({ from: 'payload', field, slot: null })),
  };
  for (const [json, expected] of Object.entries(cases))
    it(`is recorded for "${json}"`, () => {
      for (const value of [json, [json], { key: { inside: json } }]) {
        const scope = createTestScope({ resource: named });
        toolsIn(scope).value(value);
        expect(listReads(scope), JSON.stringify(value)).to.deep.equal(expected);
      }
    });

  it('is recorded for text, for a field that a plugin reads itself, and for the whole payload', () => {
    const scope = createTestScope({ resource: named });
    const tools = toolsIn(scope);
    tools.text('$PAYLOAD.a');
    tools.recordPayloadRead('found');
    tools.recordPayloadRead(null);
    expect(listReads(scope)).to.deep.equal([
      { from: 'payload', field: 'a', slot: null },
      // A payload field takes precedence over a result of the same name.
      { from: 'payload', field: 'found', slot: null },
      { from: 'payload', field: null, slot: null },
    ]);
  });

  it('is not recorded if a plugin only validates', () => {
    const scope = createTestScope({ resource: named });
    const tools = toolsIn(scope, null, 'feature:judge');
    tools.value(['$PAYLOAD.a', '$HEADER.b', '$TOKEN.c', '$OTHER']);
    tools.recordPayloadRead('a');
    tools.claim(['c']);
    expect([scope.reads, scope.asked]).to.deep.equal([[], []]);
  });

  it('is recorded per actionable and for the whole resource', () => {
    const [one, two] = [createActionModel(1), createActionModel(2)];
    const scope = createTestScope({ sequence: [one, two] });
    toolsIn(scope, one).value('$PAYLOAD.one');
    toolsIn(scope, two).value('$PAYLOAD.two');
    const listReadFields = (action: ActionModel | null) =>
      toolsIn(scope, action)
        .reads()
        .map((place) => 'field' in place && place.field);
    expect([listReadFields(one), listReadFields(two), listReadFields(null)]).to.deep.equal([
      ['one'],
      ['two'],
      ['one', 'two'],
    ]);
  });

  it('is required in the payload unless it is a name of the resource or in a list', () => {
    const repeat: RepeatModel = { from: 'payload', name: 'list', body: false, action: null, fields: null };
    const countAsked = (json: string, action: ActionModel | null = null): number => {
      const scope = createTestScope({ resource: named });
      toolsIn(scope, action).value(json);
      return scope.asked.length;
    };
    expect(countAsked('$PAYLOAD.title')).to.equal(1);
    expect(countAsked('$PAYLOAD')).to.equal(1);
    expect(countAsked('$PAYLOAD.found')).to.equal(0);
    expect(countAsked('$PAYLOAD.code')).to.equal(0);
    expect(countAsked('$HEADER.title')).to.equal(0);
    expect(countAsked('$PAYLOAD.title', createActionModel(1))).to.equal(1);
    expect(countAsked('$PAYLOAD.title', createActionModel(1, { repeat }))).to.equal(0);
  });

  it('is stored where it is generated once', () => {
    const scope = createTestScope();
    toolsIn(scope).value(['$NEW', '$OTHER']);
    expect(scope.once.map(({ slot }) => slot)).to.deep.equal([9]);
  });
});

describe('lists for which work is repeated', () => {
  const of = (model: Partial<RepeatModel>) => {
    const repeat = { from: 'payload', name: 'lines.items', body: false, action: null, fields: null, ...model } as const;
    const action = createActionModel(2, { repeat });
    const resource = createResourceModel({
      names: new Set(['found']),
      payloadFields: new Map([['lines', { optional: true, fields: new Map() } as never]]),
    });
    const scope = createTestScope({ resource, sequence: [createActionModel(1), action] });
    return { scope, repeat: toolsIn(scope, action).repeat };
  };
  const frame = createTestFrame({ payload: { lines: { items: [1, 2] } }, results: [['first']], slots: [['named']] });

  it('can be at a path of the payload', () => {
    const { scope, repeat } = of({});
    expect(repeat).to.deep.include({ body: false, name: 'lines.items', pointer: '/lines/items', optional: true });
    expect(repeat?.read(frame)).to.deep.equal([1, 2]);
    expect(listReads(scope)).to.deep.equal([{ from: 'payload', field: 'lines', slot: null }]);
    expect(of({ name: 'others' }).repeat?.optional).to.equal(false);
  });

  it('can be the body itself or a path of it', () => {
    const { scope, repeat } = of({ body: true });
    expect([repeat?.body, repeat?.pointer]).to.deep.equal([true, '/lines/items']);
    expect(listReads(scope).map((place): unknown => place['field'])).to.deep.equal([null, 'lines']);
    const { repeat: unnamed } = of({ from: 'body', body: true, name: null });
    expect([unnamed?.name, unnamed?.pointer, unnamed?.optional]).to.deep.equal([null, null, false]);
    expect(unnamed?.read(frame)).to.equal(undefined);
  });

  it('can be the result of an actionable', () => {
    const { scope, repeat } = of({ from: 'result', name: null, action: 'notes#1' });
    expect(repeat?.read(frame)).to.deep.equal(['first']);
    expect([repeat?.pointer, repeat?.optional]).to.deep.equal([null, false]);
    expect(listReads(scope)).to.deep.equal([{ from: 'result', index: 0 }]);
  });

  it('can be a name set from a result', () => {
    const { scope, repeat } = of({ from: 'extracted', name: 'found' });
    expect(repeat?.read(frame)).to.deep.equal(['named']);
    expect([repeat?.pointer, repeat?.optional]).to.deep.equal([null, false]);
    expect(listReads(scope)).to.deep.equal([{ from: 'payload', field: 'found', slot: 0 }]);
  });
});

describe('parameters', () => {
  const createPayloadSource = (source: 'name' | 'literal', rest: object = {}) => ({ source, from: 'payload', ...rest });
  const parameters = new Map(
    Object.entries({
      '/0': createPayloadSource('name'),
      '/1': createPayloadSource('name', { from: 'claim' }),
      '/2': createPayloadSource('name', { from: 'generated' }),
      '/3': createPayloadSource('literal'),
    }),
  ) as unknown as ActionModel['parameters'];
  const action = createActionModel(1, { parameters });
  const scope = createTestScope({ resource: named, sequence: [action] });
  const plan = (
    json: Parameters<ReturnType<typeof toolsIn>['parameter']>[0],
    pointer: string,
    profile: string | null = null,
  ) => toolsIn({ ...scope, profile }, action).parameter(json, pointer);
  const frame = createTestFrame({ payload: { a: { b: 5 }, title: 'x' }, claims: { id: 7 }, slots: [{ id: 3 }] });

  it('can be accessors, names, claims and literals, each with its source field', () => {
    const toComparable = (one: ReturnType<typeof plan>) => [one.source, one.label, one.field, one.read(frame)];
    expect(toComparable(plan('$PAYLOAD.title', '/9'))).to.deep.equal(['accessor', '$PAYLOAD.title', 'title', 'x']);
    expect(toComparable(plan('to $PAYLOAD.title', '/9'))).to.deep.equal([
      'accessor',
      'to $PAYLOAD.title',
      null,
      'to x',
    ]);
    expect(toComparable(plan('a.b', '/0'))).to.deep.equal(['name', 'a.b', 'a', 5]);
    expect(toComparable(plan('none', '/0'))).to.deep.equal(['name', 'none', 'none', null]);
    expect(toComparable(plan('found.id', '/0'))).to.deep.equal(['name', 'found.id', 'found', 3]);
    expect(() => plan('found.none', '/0').read(frame)).to.throw('ACC_UNRESOLVED');
    expect(toComparable(plan('id', '/1'))).to.deep.equal(['name', 'id', null, 7]);
    expect(plan('code', '/2').field).to.equal(null);
    expect(toComparable(plan('a.b', '/3'))).to.deep.equal(['literal', '"a.b"', null, 'a.b']);
    expect(toComparable(plan(5, '/0'))).to.deep.equal(['literal', '5', null, 5]);
  });

  it('return 403 if the token lacks the claim', () => {
    const { read } = plan('user.id', '/1');
    expect(() => read(frame))
      .to.throw()
      .that.satisfies(({ code, params }: Fault) => code === 'ACC_CLAIM' && params['name'] === 'user.id');
    expect(read(createTestFrame({ claims: { user: { id: null } } }))).to.equal(null);
  });

  it('read absent values as null only in the compatibility profile', () => {
    const isLenient = (profile: string | null) => plan('$LENIENT', '/9', profile).read(frame);
    expect([isLenient(null), isLenient('sub0'), isLenient('other')]).to.deep.equal([false, true, false]);
    expect(toolsIn({ ...scope, profile: 'sub0' }, action).value('$LENIENT')(frame)).to.equal(false);
  });
});

describe('compile-time facts of a resource', () => {
  const column = (name: string, secret = false) => ({ name, secret }) as ModelColumn;
  const table = (model: string, ...columns: ModelColumn[]) => ({ model, columns }) as unknown as ModelTable;
  const tables = new Map([
    ['_user', table('_user', column('id'), column('password', true))],
    ['_note', table('_note', column('text'), column('key', true))],
  ]);
  const stores = [{ kind: 'database', instance: 'second' }];
  const places = [{ plugin: 'strategy:jwt' }, { plugin: 'strategies:other' }, { plugin: 'mode:QUERY' }] as never;
  const one = createActionModel(1, { models: ['_user'], stores, secrets: ['pin'], places });
  const two = createActionModel(2, { models: ['_note', '_user'], parallel: true });
  const resource = createResourceModel({
    payloadFields: new Map([
      ['user', { optional: false, fields: new Map([['mail', { optional: true, fields: new Map() }]]) }],
      ['note', { optional: true, fields: new Map([['text', { optional: false, fields: new Map() }]]) }],
    ]) as never,
  });
  const scope = createTestScope({
    resource,
    tables,
    sequence: [one, two],
    lookupOrder: [1, 0],
    uses: new Set(['queue:redis']),
  });
  const listNames = (columns: readonly ModelColumn[]) => columns.map(({ name }) => name);

  it('list the columns and tables of an actionable, and each table once for the resource', () => {
    expect(listNames(toolsIn(scope, one).columns)).to.deep.equal(['id', 'password']);
    expect(listNames(toolsIn(scope, null).columns)).to.deep.equal(['id', 'password', 'text', 'key']);
    expect(toolsIn(scope, two).tables.map(({ model }) => model)).to.deep.equal(['_note', '_user']);
  });

  it('list secrets of one actionable and of all that run', () => {
    const [all, some] = [toolsIn(scope, one).allSecrets, toolsIn(scope, one).secrets];
    expect([[...some].sort(), [...all].sort()]).to.deep.equal([
      ['password', 'pin'],
      ['key', 'password', 'pin'],
    ]);
    expect([...toolsIn(scope, null).secrets].sort()).to.deep.equal(['key', 'password', 'pin']);
  });

  it('state whether a payload field, and each field above it, is optional', () => {
    const tools = toolsIn(scope);
    const payloadField = (name: string, ...inside: string[]) => tools.payloadField(name, ...inside);
    expect(payloadField('none')).to.equal(null);
    expect(payloadField('user')).to.deep.equal({ optional: false });
    expect(payloadField('user', 'mail')).to.deep.equal({ optional: true });
    expect(payloadField('user', '0', 'mail')).to.deep.equal({ optional: true });
    for (const other of ['x0', '0x', ''])
      expect(payloadField('user', other, 'mail'), other).to.deep.equal({ optional: false });
    expect(payloadField('note', 'text')).to.deep.equal({ optional: true });
  });

  it('return the result index of an actionable, in its own resource and in others', () => {
    const tools = toolsIn(scope, one);
    const { main, lookupOrder } = tools;
    const action = (where: string, id: number) => tools.action(where, id);
    expect([action('self', 2), action('notes', 1), action('other', 1), action('self', 3)]).to.deep.equal([
      1,
      0,
      null,
      null,
    ]);
    expect([main, lookupOrder]).to.deep.equal([{ id: 2 }, [1, 0]]);
    expect(toolsIn(createTestScope()).main).to.equal(null);
  });

  it('return the connection, the selected and used plugins, and the execution mode', () => {
    const tools = toolsIn(scope, one);
    expect(tools.connection({ kind: 'database' } as never)).to.equal('second');
    expect(tools.connection({ kind: 'cache' } as never)).to.equal('main');
    expect(tools.connection({ kind: 'cache', config: { must: 'default' } } as never)).to.equal('default');
    expect(tools.chosen({ kind: 'strategy' } as never)).to.deep.equal(['jwt']);
    expect([tools.used('queue:redis'), tools.used('queue:mongo')]).to.deep.equal([true, false]);
    expect([tools.parallel, toolsIn(scope, two).parallel, toolsIn(scope).parallel]).to.deep.equal([false, true, false]);
    expect([tools.place, toolsIn(scope).place, tools.version]).to.deep.equal(['notes#1', 'notes', 'v']);
    expect(tools.resolve({ kind: 'token' } as never, 'JWT')).to.equal('token:JWT for feature:plain');
  });

  it('return the format of hashes if a store may return some', () => {
    const hashers = ['hasher:one', 'hasher:two'].map((id) => [id, { facts: { conceals: id.slice(7) } }] as const);
    const registry = { ...createTestScope().registry, plugins: new Map<string, object>(hashers) } as never;
    const secret = { ...table('_user', column('hash')), secrets: new Set(['hash']) };
    const conceals = (models: readonly string[], uses = ['hasher:two'], from: ActionModel['stores'] = stores) => {
      const sequence = [createActionModel(1), createActionModel(2, { models, stores: from })];
      const known = new Map<string, ModelTable>([...tables, ['_user', secret]]);
      return toolsIn(createTestScope({ registry, tables: known, sequence, uses: new Set(uses) })).conceals;
    };
    expect(conceals(['_user'])?.source).to.equal('two');
    expect(conceals(['_note', '_user'], ['hasher:one', 'hasher:two'])?.source).to.equal('one|two');
    expect([conceals(['_note']), conceals(['_user'], []), conceals(['_user'], ['hasher:two'], [])]).to.deep.equal([
      ...[null, null, null],
    ]);
  });

  it('list the parts of a result that are read, and the fields that features open', () => {
    const own = createTestScope({ sequence: [one, two], revealed: ['note.text'] });
    toolsIn(own, two).recordResultRead(0, ['id']);
    expect(own.taken).to.deep.equal([{ action: two, index: 0, path: ['id'] }]);
    own.revealed.push('note.key');
    expect(toolsIn(own).revealed).to.deep.equal(['note.text', 'note.key']);
  });

  it('return the resource whose uids a message addresses', () => {
    const tools = toolsIn(scope, one);
    expect(tools.resolveUidNamespace(null)).to.deep.equal({ realm: null, open: true });
    expect(() => tools.resolveUidNamespace('none'))
      .to.throw(BootError)
      .that.has.property('code', 'LNK_NO_REALM');
  });

  it('return a value generated once for a name without another source', () => {
    const own = createTestScope({
      resource: createResourceModel({ names: new Set(['found']), generated: new Set(['found', 'code']) }),
    });
    const tools = toolsIn(own);
    let count = 0;
    const make = () => ++count;
    expect([tools.assignGenerated('found', make), tools.assignGenerated('unknown', make)]).to.deep.equal([null, null]);
    const fill = tools.assignGenerated('code', make);
    const frame = createTestFrame();
    fill?.(frame);
    fill?.(frame);
    const slot = tools.slot('code') ?? -1;
    expect([frame.slots[slot], count, own.slots.memos.length, own.slots.makers.length]).to.deep.equal([1, 1, 1, 1]);
    expect(own.slots.memos).not.to.include(slot);
  });
});
