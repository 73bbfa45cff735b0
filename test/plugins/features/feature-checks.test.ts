/** Checks of features in definitions: claims, guards, rules, limits, returned names. */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import type { CheckAction, CheckPlace } from '../../../contract/plugin.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import generate from '../../../plugins/features/generate/spec.js';
import invalidateTokenize from '../../../plugins/features/invalidate-tokenize/spec.js';
import validation from '../../../plugins/features/payload-validation/spec.js';
import guard from '../../../plugins/features/protected/spec.js';
import queue from '../../../plugins/features/queue/spec.js';
import rateLimit from '../../../plugins/features/rate-limit/spec.js';
import returnables from '../../../plugins/features/returnables/spec.js';
import tokenize from '../../../plugins/features/tokenize/spec.js';
import verifyHashables from '../../../plugins/features/verify-hashables/spec.js';
import {
  createCheckAction,
  AT_ONCE,
  listFixTexts,
  listFindings,
  type DefinitionObject,
} from '../../support/feature-findings.js';

describe('token checks', () => {
  const settings = (custom_claim_fields: Json, rest: DefinitionObject = {}): DefinitionObject => ({
    tokenize: { type: 'JWT', custom_claim_fields },
    actionables: [{ id: 1, mode: 'QUERY', ...rest }],
  });
  const known = { actions: [createCheckAction(0, { main: true, answers: ['id', 'name'] })] };
  const CLAIM = '/tokenize/custom_claim_fields/0';

  it('reject claims that are reserved, inherited or secret', () => {
    for (const name of ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'exp.a', '__proto__', 'a.constructor', 'prototype.b'])
      expect(listFindings(tokenize, settings([name])), name).to.deep.equal([`TOK_CLAIM_RESERVED ${CLAIM}`]);
    const secret = [`TOK_CLAIM_SECRET ${CLAIM}`];
    const actions = [createCheckAction(0, { isSecret: (path) => path === 'p' })];
    expect(listFindings(tokenize, settings(['p']), { actions })).to.deep.equal(secret);
    expect(listFindings(tokenize, settings(['q']), { actions })).to.deep.equal([]);
    // By name, if it is from elsewhere or from another result.
    const secrets = new Set(['p', 'q.r']);
    for (const name of ['p', 'a.p', 'p.a', 'q.r']) {
      const elsewhere = settings([name], { depends_on: [{ resource_id: 'other' }] });
      expect(listFindings(tokenize, elsewhere, { secrets }), name).to.deep.equal(secret);
      const extracted = settings([name], { extract_response_for: [{ for: name.split('.')[0] ?? '' }] });
      expect(listFindings(tokenize, extracted, { secrets }), name).to.deep.equal(secret);
    }
    for (const name of ['expires', 'a.exp', 'sub'])
      expect(listFindings(tokenize, settings([name]), { actions: [createCheckAction(0)] }), name).to.deep.equal([]);
  });

  it('report missing claims only if every name is certain', () => {
    const absent = [`TOK_CLAIM_ABSENT ${CLAIM}`];
    expect(listFindings(tokenize, settings(['x']), known)).to.deep.equal(absent);
    expect(listFindings(tokenize, settings(['name.first']), known)).to.deep.equal([]);
    expect(listFindings(tokenize, settings(['name'], { returnables: ['id'] }), known)).to.deep.equal(absent);
    expect(listFindings(tokenize, settings(['name'], { returnables: ['name.first'] }), known)).to.deep.equal([]);
    expect(listFindings(tokenize, settings(['x']), { actions: [createCheckAction(0)] })).to.deep.equal([]);
    for (const generate of [{ for: 'x' }, [{ for: 'y' }, { for: 'x' }]])
      expect(listFindings(tokenize, settings(['x'], { generate }), known)).to.deep.equal([]);
    expect(listFindings(tokenize, settings(['x'], { depends_on: [{ resource_id: 'other' }] }), known)).to.deep.equal(
      [],
    );
    expect(listFindings(tokenize, settings(['x'], { depends_on: [{ resource_id: 'self' }] }), known)).to.deep.equal(
      absent,
    );
  });

  it('reject a result that cannot have claims', () => {
    const of = (
      written: DefinitionObject,
      actions: readonly CheckAction[] = [createCheckAction(0, { main: true })],
    ): readonly string[] =>
      listFindings(tokenize, { tokenize: {}, actionables: [written, { mode: 'QUERY' }] }, { actions });
    const RETURN = { mode: 'RETURN' };
    for (const value of [[], [1], 'text', 7, true])
      expect(of({ ...RETURN, value })).to.deep.equal(['TOK_RESULT /actionables/0/id']);
    for (const value of [null, {}, '$PAYLOAD.a']) expect(of({ ...RETURN, value })).to.deep.equal([]);
    for (const written of [{ result: 'many' }, { mode: 'UPLOAD' }, { sql: { multi: true } }])
      expect(of(written)).to.deep.equal(['TOK_RESULT /actionables/0/id']);
    for (const written of [RETURN, { result: 'one' }, { sql: { multi: false } }, { mode: 'QUERY', value: 7 }])
      expect(of(written)).to.deep.equal([]);
    const many = { result: 'many' };
    expect(of(many, [createCheckAction(0), createCheckAction(1)])).to.deep.equal([]);
    expect(of(many, [createCheckAction(0), createCheckAction(1, { noOp: true })])).to.deep.equal([
      'TOK_RESULT /actionables/0/id',
    ]);
    expect(of(many, [createCheckAction(0, { main: true }), createCheckAction(1)])).to.deep.equal([
      'TOK_RESULT /actionables/0/id',
    ]);
  });

  it('report nothing if tokens are only verified, and require settings where there are none', () => {
    expect(listFindings(tokenize, { ...settings(['exp']), protected: {} })).to.deep.equal([
      `TOK_CLAIM_RESERVED ${CLAIM}`,
    ]);
    expect(
      listFindings(tokenize, { tokenize: {}, protected: {}, actionables: [{ result: 'many' }] }, known),
    ).to.deep.equal([]);
    expect(listFindings(guard, { protected: {} })).to.deep.equal(['TOK_NO_SETTINGS /protected']);
    expect(listFindings(guard, { protected: {}, tokenize: {} })).to.deep.equal([]);
    const revoking = (tokens?: Json): readonly string[] =>
      listFindings(invalidateTokenize, { tokenize: {}, invalidate_tokenize: tokens === undefined ? {} : { tokens } });
    for (const tokens of ['$PAYLOAD.t', ['$PAYLOAD.t', '$HEADER.x'], undefined])
      expect(revoking(tokens)).to.deep.equal([]);
    for (const tokens of ['t', 'Bearer $PAYLOAD.t', '$PAYLOAD.t ', '$PAYLOAD.a$PAYLOAD.b', [], ['$PAYLOAD.t', 7], null])
      expect(revoking(tokens), JSON.stringify(tokens)).to.deep.equal(['TOK_REVOKE_FORM /invalidate_tokenize/tokens']);
    expect(listFindings(invalidateTokenize, { invalidate_tokenize: {} })).to.deep.equal([
      'TOK_REVOKE /invalidate_tokenize',
    ]);
  });

  it('treat guards as equal if they verify the same tokens', () => {
    const of = (settings: Json): string | undefined =>
      (guard as PluginSpec).getCallerKey?.({
        value: {},
        holder: { tokenize: settings },
        facts: (kind, name) => (kind === 'token' && name === 'JWT' ? { algorithm: 'HS256' } : undefined),
      });
    const one = of({ type: 'JWT', encryption_key: 'a', expiration: 5 });
    expect(of({ encryption_key: 'a', algorithm: 'HS256', type: 'JWT' })).to.equal(one);
    for (const other of [
      { type: 'JWT', encryption_key: 'b' },
      { type: 'PASETO', encryption_key: 'a' },
      { type: 'JWT', encryption_key: 'a', algorithm: 'HS512' },
      7,
    ])
      expect(of(other)).not.to.equal(one);
  });

  it('report a missing hash to compare, and a hash from a cache', () => {
    const of = (
      query: Json,
      entry: DefinitionObject = {},
      rest: DefinitionObject = {},
      root: DefinitionObject = {},
    ): readonly string[] =>
      listFindings(
        verifyHashables,
        { sql: { query }, verify_hashables: [{ property: 'user.password', ...entry }], ...rest },
        { root },
      );
    const PROPERTY = '/verify_hashables/0/property';
    expect(of('SELECT id FROM t')).to.deep.equal([`VER_NOT_SELECTED ${PROPERTY}`]);
    expect(of('SELECT id FROM t', { hash_field: 'h' })).to.deep.equal([
      'VER_NOT_SELECTED /verify_hashables/0/hash_field',
    ]);
    for (const query of [
      'SELECT PassWord FROM t',
      'SELECT "password" FROM t',
      'SELECT t.* FROM t',
      'UPDATE t SET a = 1',
      7,
    ])
      expect(of(query), String(query)).to.deep.equal([]);
    expect(of('SELECT h FROM t', { hash_field: 'x.h' })).to.deep.equal([]);
    const cached = { cacheable: { read_from_cache: true } };
    for (const [rest, root] of [
      [cached, {}],
      [{}, cached],
    ] as const)
      expect(of('SELECT password FROM t', {}, rest, root)).to.deep.equal([`VER_CACHED ${PROPERTY}`]);
    expect(of('SELECT password FROM t', {}, { cacheable: { read_from_cache: false } })).to.deep.equal([]);
  });
});

describe('checks of rules and limits', () => {
  const facts: CheckPlace['facts'] = (_kind, name) => ({ bounded: name === 'STRING' });
  const rules = (rule: Json, rest: DefinitionObject = {}): readonly string[] =>
    listFindings(validation, { payload_validation: [rule], ...rest }, { facts });
  const RULE = '/payload_validation/0';

  it('reject bounds that cross, at the last one', () => {
    const a = { type: 'STRING' };
    expect(rules({ field: { a }, min_length: 3, max_length: 2 })).to.deep.equal([`VAL_BOUNDS ${RULE}/min_length`]);
    expect(rules({ field: { a }, min_length: 2, max_length: 2 })).to.deep.equal([]);
    expect(rules({ field: { a: { ...a, max_length: 1 } }, min_length: 2 })).to.deep.equal([
      `VAL_BOUNDS ${RULE}/field/a/max_length`,
    ]);
    expect(rules({ field: { a: { ...a, min_length: 9 } }, max_length: 8 })).to.deep.equal([
      `VAL_BOUNDS ${RULE}/field/a/min_length`,
    ]);
    expect(rules({ field: { a: { ...a, min_length: 1, max_length: 2 } }, min_length: 5 })).to.deep.equal([]);
    const inside = { type: 'OBJECT', max_length: 4, fields: { 'b/c': { ...a, min_length: 5 } } };
    expect(rules({ field: { a: inside } })).to.deep.equal([`VAL_BOUNDS ${RULE}/field/a/fields/b~1c/min_length`]);
  });

  it('report bounds without effect, and bypassed rules', () => {
    const b = { type: 'BOOLEAN' };
    expect(rules({ field: { b }, min_length: 1 })).to.deep.equal([`VAL_BOUND_UNUSED ${RULE}/min_length`]);
    expect(rules({ field: { b }, min_length: 1, max_length: 2 })).to.have.length(2);
    expect(rules({ field: { b, a: { type: 'STRING' } }, min_length: 1 })).to.deep.equal([]);
    expect(rules({ field: { b: { type: 'OBJECT', fields: { a: { type: 'STRING' } } } }, min_length: 1 })).to.deep.equal(
      [],
    );
    expect(rules({ field: { b } }, { bypass_payload_validation: true })).to.deep.equal([
      'VAL_BYPASSED /bypass_payload_validation',
    ]);
    expect(listFindings(validation, { payload_validation: [], bypass_payload_validation: true })).to.deep.equal([]);
  });

  it('require accessors in the identifier of a limit', () => {
    const of = (identifier?: Json): readonly string[] =>
      listFindings(rateLimit, { rate_limit: identifier === undefined ? {} : { identifier } });
    for (const by of [undefined, '$HEADER.ip', 'a $PAYLOAD.b', ['$HEADER.ip', '$PAYLOAD.b']])
      expect(of(by)).to.deep.equal([]);
    for (const by of ['ip', [], ['$HEADER.ip', 'ip'], 7, null])
      expect(of(by), JSON.stringify(by)).to.deep.equal(['LIM_IDENTIFIER /rate_limit/identifier']);
  });

  it('report incomplete and repeated generated names', () => {
    expect(listFindings(generate, { generate: '$GENERATOR.A' })).to.deep.equal(['GEN_HALF /generate']);
    expect(listFindings(generate, { for: 'a' })).to.deep.equal(['GEN_HALF /for']);
    expect(listFindings(generate, { generate: [], for: 'a' })).to.deep.equal(['GEN_HALF /for']);
    for (const valid of [{ generate: '$GENERATOR.A', for: 'a' }, { generate: [{ for: 'a' }, { for: 'b' }] }, {}])
      expect(listFindings(generate, valid)).to.deep.equal([]);
    const list = ['a', 'b', 'a', 'a'].map((name) => ({ for: name }));
    expect(listFindings(generate, { generate: list })).to.deep.equal([
      'GEN_TWICE /generate/2/for',
      'GEN_TWICE /generate/3/for',
    ]);
  });

  it('treat a delay of whole thousands as milliseconds, unless it is whole quarters of hours', () => {
    const of = (delay: Json): readonly string[] =>
      listFindings(queue, { queue: { delay } }).filter((one) => one.includes('MILLI'));
    for (const delay of [5000, 10_000, 60_000, 86_000]) expect(of(delay), `${delay}`).to.have.length(1);
    for (const delay of [1000, 4000, 4999, 5001, 3600, 900, 9000, 36_000, 86_400, '5000'])
      expect(of(delay), `${delay}`).to.deep.equal([]);
    expect(listFixTexts(queue, { queue: { delay: 60_000 } })).to.include('60');
    expect(listFindings(queue, { queue: { retries: 1 }, retries: 2 })).to.include('QUE_TWICE /retries');
    expect(listFindings(queue, { queue: {}, retries: 2 })).not.to.include('QUE_TWICE /retries');
    expect(listFindings(queue, { retries: 2 })).to.deep.equal(['QUE_NOTHING /retries']);
    for (const root of [{ run_in_background: true }, { queue: {} }])
      expect(listFindings(queue, { retries: 2 }, { root })).to.deep.equal([]);
    expect(listFindings(queue, { retries: 2, run_in_background: true })).to.deep.equal([]);
  });
});

describe('checks of returned names', () => {
  const of = (
    names: Json,
    actions: readonly CheckAction[],
    rest: DefinitionObject = {},
    place: Partial<CheckPlace> = {},
  ): readonly string[] => {
    const actionables = actions.map(({ index }) => ({ id: index + 1, mode: 'QUERY', ...rest }));
    const holder = { returnables: names, actionables };
    return listFindings(returnables, holder, { actions, ...place });
  };
  const known = createCheckAction(0, { main: true, answers: ['id', 'Name'] });

  it('report those that no result has, if all are certain', () => {
    // A name in other letters is another name.
    expect(of(['id', 'name', 'x', 'id.y', '0.id', '1.x'], [known])).to.deep.equal([
      'RET_NOT_THERE /returnables/1',
      'RET_NOT_THERE /returnables/2',
      'RET_NOT_THERE /returnables/5',
    ]);
    expect(of(['x'], [known, createCheckAction(1)])).to.deep.equal([]);
    expect(of(['x'], [known, createCheckAction(1, { answers: ['x'] })])).to.deep.equal([]);
    expect(of(['x'], [known], { combine_returned_results_from: [2] })).to.deep.equal([]);
    expect(of(['x'], [known], { generate: [{ for: 'x' }] })).to.deep.equal([]);
    expect(of(['x'], [known], {}, { facts: () => ({ outputs: ['x'] }) })).to.deep.equal([]);
    const behind = { ...AT_ONCE, later: true, own: true };
    for (const timing of [behind, { ...AT_ONCE, scheduled: true }])
      expect(of(['x'], [known, createCheckAction(1, { answers: ['x'], timing })])).to.deep.equal([
        'RET_NOT_THERE /returnables/0',
      ]);
    expect(
      of(['x'], [known, createCheckAction(1, { answers: ['x'], timing: { ...behind, own: false } })]),
    ).to.deep.equal([]);
  });

  it('leave to other codes what those report', () => {
    for (const name of ['self_', 'SELF_', 'action1', 'actionable_2', 'results3', 'step_1', '$PAYLOAD.a'])
      expect(of([name], [known]), name).to.deep.equal([]);
    for (const name of ['self', 'action', 'xaction1', 'step_a']) expect(of([name], [known]), name).to.have.length(1);
    for (const name of ['*', 'a.*'])
      expect(of([name], [createCheckAction(0)]), name).to.deep.equal(['RET_STAR /returnables/0']);
    for (const name of ['a*', '.*']) expect(of([name], [createCheckAction(0)]), name).to.deep.equal([]);
  });

  it('report that all columns of a table are returned if none is named', () => {
    const stored = createCheckAction(0, { models: ['users'], main: true });
    const everything = (
      one: CheckAction,
      rest: DefinitionObject = {},
      place: Partial<CheckPlace> = {},
    ): readonly string[] =>
      listFindings(returnables, { actionables: [{ id: 1, ...rest }] }, { actions: [one], ...place });
    expect(everything(stored)).to.deep.equal(['RET_EVERYTHING /actionables/0/id']);
    expect(everything({ ...stored, main: false })).to.deep.equal(['RET_EVERYTHING /actionables/0/id']);
    for (const one of [
      { ...stored, models: [] },
      { ...stored, answers: [] },
      { ...stored, main: false, noOp: true },
    ])
      expect(everything(one)).to.deep.equal([]);
    for (const timing of [
      { ...AT_ONCE, later: true },
      { ...AT_ONCE, scheduled: true },
    ])
      expect(everything({ ...stored, timing })).to.deep.equal([]);
    expect(everything(stored, { returnables: ['id'] })).to.deep.equal([]);
    expect(everything(stored, {}, { slot: 'actionable' })).to.deep.equal([]);
  });
});
