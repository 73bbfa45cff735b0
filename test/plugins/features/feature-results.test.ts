/** Features that shape results, step by step without a request: named, combined, extracted, missing values. */
import { expect } from 'chai';
import type { Fault } from '../../../contract/fault.js';
import type { Json } from '../../../contract/json.js';
import type { Step } from '../../../contract/plan.js';
import combine from '../../../plugins/features/combine-returned-results/runtime.js';
import dependsOn from '../../../plugins/features/depends-on/runtime.js';
import mustReturnValue from '../../../plugins/features/must-return-value/runtime.js';
import returnables from '../../../plugins/features/returnables/runtime.js';
import {
  catchFaultCode,
  HASH,
  HASHES as conceals,
  runFeature as ran,
  type StepSetup,
  type FeatureRun,
  type DefinitionJson,
} from '../../support/feature-steps.js';

describe('returnables of an actionable', () => {
  const applyReturnables = async (names: Json, result: unknown): Promise<unknown> =>
    (await ran(returnables, { returnables: names }, result)).result;

  it('keep names of a row, of each row, and paths inside them', async () => {
    const row = { a: 1, b: null, c: { d: 2, e: 3 } };
    expect(await applyReturnables(['a', 'b', 'x'], row)).to.deep.equal({ a: 1, b: null });
    expect(await applyReturnables(['c.d', 'c.x'], row)).to.deep.equal({ c: { d: 2 } });
    expect(await applyReturnables(['c', 'c.d'], row)).to.deep.equal({ c: { d: 2, e: 3 } });
    expect(await applyReturnables(['c.d', 'cc'], { ...row, cc: 9 })).to.deep.equal({ c: { d: 2 }, cc: 9 });
    expect(await applyReturnables(['a'], [row, { b: 1 }, null, 'text'])).to.deep.equal([{ a: 1 }, {}, null, 'text']);
    expect(await applyReturnables([], row)).to.deep.equal({});
  });

  it('keep values without names, and everything if they are not a list', async () => {
    for (const result of [null, 'text', 7, undefined]) expect(await applyReturnables(['a'], result)).to.equal(result);
    expect(await applyReturnables('a', { a: 1, b: 2 })).to.deep.equal({ a: 1, b: 2 });
  });

  it('pass the kept columns to the statement, if each is a column', async () => {
    const pickNames = async (names: string[]): Promise<unknown> =>
      (await ran(returnables, { returnables: names }, {})).steps[0]?.picks;
    expect(await pickNames(['a', 'b_9'])).to.deep.equal(['a', 'b_9']);
    for (const name of ['a.b', 'a b', '9a', '', '__proto__'])
      expect(await pickNames(['b', name]), name).to.equal(undefined);
  });
});

describe('returnables of a resource', () => {
  const around: StepSetup = {
    slot: 'resource',
    results: [{ a: 'main' }, { b: 1, c: 1 }, { b: 2, d: null }],
    lookup: [0, 2, 1],
  };
  const answer = async (names: Json, result: unknown, rest: StepSetup = {}): Promise<unknown> =>
    (await ran(returnables, { returnables: names }, result, { ...around, ...rest })).result;

  it('are looked up in the main result, then in the others, latest first, then among names', async () => {
    const names = { e: 3, b: 4, f: { g: 5 } };
    expect(await answer(['a', 'b', 'c', 'd', 'e', 'f.g', 'x'], { a: 0 }, { names })).to.deep.equal({
      a: 0,
      b: 2,
      c: 1,
      d: null,
      e: 3,
      f: { g: 5 },
    });
    expect(await answer(['a', 'b'], { b: null })).to.deep.equal({ b: null });
  });

  it('are those of each row if the result is a list', async () => {
    expect(await answer(['a', 'b'], [{ a: 1 }, { b: 2 }])).to.deep.equal([{ a: 1 }, { b: 2 }]);
  });

  it('are null without a row, unless another result has the value', async () => {
    expect(await answer(['x'], null)).to.equal(null);
    expect(await answer(['b'], null)).to.deep.equal({ b: 2 });
    expect(await answer(['x'], {})).to.deep.equal({});
  });

  it('omit secrets at any depth, except named ones', async () => {
    const secrets = ['password'];
    const result = { user: { id: 1, password: 'p' }, password: 'q' };
    expect(await answer(['user'], result, { secrets })).to.deep.equal({ user: { id: 1 } });
    expect(await answer(['user', 'user.password'], result, { secrets })).to.deep.equal({
      user: { id: 1, password: 'p' },
    });
    expect(await answer(['password'], result, { secrets })).to.deep.equal({ password: 'q' });
  });

  it('omit hashes under any name, except those of named secrets', async () => {
    const result = { id: 1, user: { note: HASH, password: HASH }, list: [HASH, 'short'] };
    const around = { secrets: ['password'], conceals };
    expect(await answer(['id', 'user', 'list'], result, around)).to.deep.equal({
      ...{ id: 1, user: {}, list: [null, 'short'] },
    });
    expect(await answer(['user.note', 'user.password'], result, around)).to.deep.equal({ user: { password: HASH } });
    expect(await answer(['user'], result, { conceals: null })).to.deep.equal({ user: result.user });
  });

  it('return secrets that are decrypted for the caller, and pass no columns if another value may be a hash', async () => {
    const secrets = ['p'];
    expect(await answer(['u'], { u: { p: 1 }, p: 2 }, { secrets, revealed: ['u.p'] })).to.deep.equal({ u: { p: 1 } });
    const pickNames = async (names: readonly string[], rest: StepSetup): Promise<unknown> =>
      (await ran(returnables, { returnables: [...names] }, {}, { slot: 'resource', secrets, ...rest })).steps[0]?.picks;
    expect(await pickNames(['a', 'p'], { conceals, columns: ['a'] })).to.deep.equal(['a', 'p']);
    expect(await pickNames(['a', 'b'], { conceals, columns: ['a'] })).to.equal(undefined);
    expect(await pickNames(['a', 'b'], { columns: ['a'] })).to.deep.equal(['a', 'b']);
  });

  it('skip other results only if nothing else can have a name', async () => {
    const pickNames = async (names: readonly string[], rest: StepSetup): Promise<unknown> =>
      (await ran(returnables, { returnables: [...names] }, {}, { slot: 'resource', ...rest })).steps[0]?.picks;
    expect(await pickNames(['a'], {})).to.deep.equal(['a']);
    expect(await pickNames(['a'], { lookup: [0, 1] })).to.equal(undefined);
    expect(await pickNames(['a', 'b'], { names: { b: 1 } })).to.equal(undefined);
    expect(await pickNames(['b'], { names: { a: 1, b: 1 } })).to.equal(undefined);
    expect(await pickNames(['b'], { names: { a: 1 } })).to.deep.equal(['b']);
    expect(await pickNames(['a.b'], {})).to.equal(undefined);
  });

  it('drop secrets before a row is read if the names are columns', async () => {
    const step = async (written: DefinitionJson, rest: StepSetup): Promise<Step | undefined> =>
      (await ran(returnables, written, {}, { slot: 'resource', ...rest })).steps[0];
    const secrets = ['p'];
    const named = await step({ returnables: ['a', 'p'] }, { secrets });
    expect(named?.hides?.({ a: 1, b: { p: 2 }, p: 3 })).to.deep.equal({ a: 1, b: {}, p: 3 });
    expect(await step({ returnables: ['a'] }, {})).not.to.have.property('hides');
    expect(await step({ returnables: ['a'] }, { secrets, lookup: [0, 1] })).not.to.have.property('hides');
    const kept = await step({}, { secrets, main: { returnables: ['a', 'p'] } });
    expect([kept?.picks, kept?.hides?.({ a: 1, p: 2, c: { p: 3 } })]).to.deep.equal([
      ['a', 'p'],
      { a: 1, p: 2, c: {} },
    ]);
    for (const main of [{}, { returnables: ['a.b'] }])
      expect(await step({}, { secrets, main })).not.to.have.any.keys('picks', 'hides');
  });

  it('return everything but secrets if absent, unless the main actionable names them', async () => {
    const of = async (main: DefinitionJson, secrets: readonly string[] = ['p']): Promise<unknown> =>
      (await ran(returnables, {}, { a: 1, p: 2, b: [{ p: 3 }] }, { slot: 'resource', secrets, main })).result;
    expect(await of({})).to.deep.equal({ a: 1, b: [{}] });
    expect(await of({ returnables: ['p'] })).to.deep.equal({ a: 1, p: 2, b: [{}] });
    expect(await of({}, [])).to.deep.equal({ a: 1, p: 2, b: [{ p: 3 }] });
    const hashes = { slot: 'resource', conceals } as const;
    expect((await ran(returnables, {}, { a: 1, h: HASH }, hashes)).result).to.deep.equal({ a: 1 });
  });
});

describe('combined results', () => {
  const results = [{ a: 0, p: 0 }, { a: 1, b: 1, s: 'secret' }, [{ c: 2 }], null, { b: 4 }];
  const combined = async (ids: Json, result: unknown, slot: StepSetup['slot'] = 'actionable'): Promise<unknown> =>
    (await ran(combine, { combine_returned_results_from: ids }, result, { slot, results, secrets: ['s'] })).result;

  it('are merged below the own result, later ones over earlier ones', async () => {
    expect(await combined([1, 4], { a: 9 })).to.deep.equal({ a: 9, b: 4, s: 'secret' });
    expect(await combined([4, 1], {})).to.deep.equal({ b: 1, a: 1, s: 'secret' });
    for (const nothing of [null, 'text']) expect(await combined([4], nothing)).to.deep.equal({ b: 4 });
  });

  it('leave a list unchanged, and a result without others', async () => {
    expect(await combined([1], [1])).to.deep.equal([1]);
    for (const ids of [[2], [3], [9], [], 'x']) expect(await combined(ids, null), JSON.stringify(ids)).to.equal(null);
  });

  it('add no secrets to the response of a resource', async () => {
    expect(await combined([1], { s: 'own' }, 'resource')).to.deep.equal({ a: 1, b: 1, s: 'own' });
    expect(await combined([1], {}, 'resource')).to.deep.equal({ a: 1, b: 1 });
  });

  it('add no hashes to the response of a resource, except what is decrypted for the caller', async () => {
    const from = async (rest: StepSetup): Promise<unknown> => {
      const around: StepSetup = {
        slot: 'resource',
        results: [{ s: 1, t: { s: 2 }, h: HASH }],
        secrets: ['s'],
        ...rest,
      };
      return (await ran(combine, { combine_returned_results_from: [0] }, {}, around)).result;
    };
    expect(await from({ conceals })).to.deep.equal({ t: {} });
    expect(await from({ revealed: ['t.s'] })).to.deep.equal({ t: { s: 2 }, h: HASH });
  });

  it('are kept whole for deferred work', async () => {
    const { resultReads } = await ran(combine, { combine_returned_results_from: [4, 1, 9] }, {}, { results });
    expect(resultReads).to.deep.equal([
      [4, ''],
      [1, ''],
    ]);
  });

  it('call no setter by their names', async () => {
    const odd = JSON.parse('{"__proto__":{"x":1}}') as unknown;
    const { result } = await ran(combine, { combine_returned_results_from: [0] }, {}, { results: [odd] });
    expect(Object.getPrototypeOf(result)).to.equal(Object.prototype);
    expect(Object.keys(result as object)).to.deep.equal(['__proto__']);
  });
});

describe('required value', () => {
  const outcome = (written: DefinitionJson, result: unknown): Promise<unknown> =>
    catchFaultCode(ran(mustReturnValue, written, result));

  it('is missing if the result is null, undefined, or an empty list', async () => {
    for (const result of [null, undefined, []])
      expect(await outcome({ must_return_value: true }, result)).to.equal('ACT_NO_VALUE');
    for (const result of [0, '', false, {}, [null]])
      expect(await outcome({ must_return_value: true }, result)).to.equal('no fault');
    for (const off of [false, 'true', null])
      expect(await outcome({ must_return_value: off }, null)).to.equal('no fault');
  });

  it('is rejected with the status and the text of the definition', async () => {
    const runOnEmpty = (on_empty: Json): Promise<unknown> =>
      ran(mustReturnValue, { must_return_value: true, on_empty }, null).catch((error: Fault) => error.options);
    expect(await runOnEmpty({ status: 410, message: 'Gone.' })).to.deep.equal({ status: 410, message: 'Gone.' });
    expect(await runOnEmpty({ status: '410', message: 7 })).to.deep.equal({});
  });
});

describe('extracted values', () => {
  const extract = (value: DefinitionJson, rest: StepSetup, result: unknown = null): Promise<FeatureRun> =>
    ran(dependsOn, value, result, rest);
  const results = [{ a: { b: 1 }, n: null }, [{ a: 2 }], { c: 3 }];
  const defineExtract = (ids: readonly number[], extracted: string): DefinitionJson => ({
    depends_on: [
      { resource_id: 'self', action_ids: [...ids], extract_response_for: [{ extract: extracted, for: 'x' }] },
    ],
  });

  it('are those of the first result that has the path', async () => {
    const of = async (ids: readonly number[], path: string): Promise<unknown> =>
      (await extract(defineExtract(ids, path), { results, names: { x: undefined } })).slots['x'];
    expect(await of([0, 2], 'c')).to.equal(3);
    expect(await of([2, 0], 'a.b')).to.equal(1);
    expect(await of([0], 'n')).to.equal(null);
    expect(await of([1, 0], 'self_')).to.deep.equal([{ a: 2 }]);
    expect(await catchFaultCode(extract(defineExtract([0, 2], 'z'), { results, names: { x: undefined } }))).to.equal(
      'DEP_UNRESOLVED',
    );
  });

  it('next to the list of dependencies are read from all of them', async () => {
    const value: DefinitionJson = { ...defineExtract([0], 'a'), extract_response_for: [{ extract: 'c', for: 'y' }] };
    const depends_on = [...(value.depends_on as Json[]), { resource_id: 'self', action_ids: [2] }];
    const { slots } = await extract({ ...value, depends_on }, { results, names: { x: undefined, y: undefined } });
    expect(slots).to.deep.equal({ x: { b: 1 }, y: 3 });
  });

  it('are all that is kept of other results for deferred work', async () => {
    const extractPath = async (path: string, names: DefinitionJson): Promise<unknown> =>
      (await extract(defineExtract([2, 0], path), { results, names })).resultReads;
    expect(await extractPath('a.b', { x: null })).to.deep.equal([
      [2, 'a.b'],
      [0, 'a.b'],
    ]);
    expect(await extractPath('self_', { x: null })).to.deep.equal([
      [2, ''],
      [0, ''],
    ]);
    expect(await extractPath('a.b', {})).to.deep.equal([]);
  });

  it('without a dependency are read from the own result', async () => {
    const value = {
      extract_response_for: [
        { extract: 'a.b', for: 'x' },
        { extract: 'c', for: 'unknown' },
      ],
    };
    const { slots } = await extract(value, { names: { x: undefined } }, { a: { b: 7 } });
    expect(slots).to.deep.equal({ x: 7 });
    expect(await catchFaultCode(extract(value, { names: { x: undefined } }, {}))).to.equal('DEP_UNRESOLVED');
  });
});
