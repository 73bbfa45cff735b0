/**
 * Rules against hostile and generated values: a sample passes, and a spoilt value is reported at its pointer. Runs the
 * closures of requests without requests.
 */
import { expect } from 'chai';
import { Fault } from '../../contract/fault.js';
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { Frame, Invocation, PlanTools } from '../../contract/plan.js';
import type { Feature } from '../../plugins/features/kind.js';
import { loadPlugins } from '../contracts/kind-support.js';
import { fromText, collectIssues, sampleRule } from './rules.js';
import { fc } from '../support/properties.js';

type Rule = JsonObject;

const NAMES = fc.constantFrom('a', 'b', 'city', 'a/b', 'c~d', 'toString', 'valueOf', 'length', '0', '');
const bounds = fc.record(
  { min_length: fc.integer({ min: 1, max: 6 }), max_length: fc.integer({ min: 6, max: 40 }) },
  { requiredKeys: [] },
);
const counts = fc.record(
  { arr_min_length: fc.integer({ min: 1, max: 3 }), arr_length: fc.integer({ min: 3, max: 5 }) },
  { requiredKeys: [] },
);
const rules: fc.Arbitrary<Rule> = fc.letrec<{ rule: Rule; fields: Rule }>((tie) => ({
  fields: fc.dictionary(NAMES, tie('rule'), { maxKeys: 4 }),
  rule: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    bounds.map((own) => ({ type: 'STRING', ...own })),
    fc.constant({ type: 'EMAIL' }),
    fc.record({ type: fc.constant('NUMBER'), min: fc.integer({ max: 0 }), integer: fc.boolean() }),
    counts.map((own) => ({ type: 'STRINGARRAY', ...own, items_min_length: 2 })),
    fc.record({ type: fc.constant('OBJECT'), fields: tie('fields'), closed: fc.boolean() }),
    fc.tuple(tie('fields'), counts).map(([fields, own]) => ({ type: 'ARRAY', fields, ...own })),
  ),
})).rule;

const segment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Every place of a value that a rule looks at, and the rule there. */
function listPlaces(
  rule: Rule,
  value: Json,
  pointer = '',
): { pointer: string; rule: Rule; path: (string | number)[] }[] {
  const here = { pointer, rule, path: [] as (string | number)[] };
  const into = (key: string | number, inner: Rule, child: Json) =>
    listPlaces(inner, child, `${pointer}/${typeof key === 'string' ? segment(key) : key}`).map((place) => ({
      ...place,
      path: [key, ...place.path],
    }));
  const fields = Object.entries((rule['fields'] ?? {}) as Rule) as [string, Rule][];
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const inner = items.flatMap((item, i) =>
      fields.flatMap(([name, field]) =>
        into(i, { type: 'OBJECT', fields: { [name]: field } }, item).filter(({ path }) => path.length > 1),
      ),
    );
    return [here, ...inner];
  }
  if (!isObject(value)) return [here];
  return [here, ...fields.flatMap(([name, field]) => into(name, field, value[name] ?? null))];
}

/** The value with something else at the path. */
function replaced(value: Json, [key, ...rest]: readonly (string | number)[], other: Json): Json {
  if (key === undefined) return other;
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((item, i) => (i === key ? replaced(item, rest, other) : item));
  }
  const object = value as JsonObject;
  return { ...object, [key]: replaced(object[key] ?? null, rest, other) };
}

describe('payload rules: properties', () => {
  it('accept a sample of the rule', () => {
    fc.assert(
      fc.property(rules, (rule) => void expect(collectIssues(rule, sampleRule(rule))).to.deep.equal([])),
      { numRuns: 500 },
    );
  });

  it('report an invalid value at its pointer, and nothing else', () => {
    fc.assert(
      fc.property(rules, fc.nat(), (rule, pick) => {
        const sample = sampleRule(rule);
        const places = listPlaces(rule, sample);
        const place = places[pick % places.length]!;
        // No type accepts a boolean.
        const issues = collectIssues(rule, replaced(sample, place.path, true));
        expect(issues.map(({ pointer }) => pointer)).to.deep.equal([place.pointer]);
      }),
      { numRuns: 500 },
    );
  });

  it('report a missing field, unless it is optional', () => {
    fc.assert(
      fc.property(rules, NAMES, fc.boolean(), (inner, name, optional) => {
        const rule = { type: 'OBJECT', fields: { [name]: { ...inner, optional } } };
        const missing = optional ? [] : [{ pointer: `/${segment(name)}`, code: 'required', detail: 'is required' }];
        expect(collectIssues(rule, {})).to.deep.equal(missing);
        expect(collectIssues(rule, { [name]: null })).to.deep.equal(missing);
      }),
    );
  });

  it('check any value without an exception, at pointers inside it', () => {
    fc.assert(
      fc.property(rules, fc.jsonValue(), (rule, value) => {
        for (const { pointer, detail } of collectIssues(rule, value, '/at')) {
          expect(pointer).to.match(/^\/at(\/|$)/);
          expect(detail).to.match(/^(must|is|has) /);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('read text as a number like JSON, and no other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double().map(String), fc.string(), fc.integer().map(String)), (text) => {
        const value = fromText({ type: 'NUMBER' }, text);
        let read: unknown;
        try {
          read = /^\s|\s$/.test(text) ? text : JSON.parse(text);
        } catch {
          read = text;
        }
        if (typeof read === 'number' && Number.isFinite(read)) expect(value).to.equal(read + 0);
        else expect(value).to.equal(text);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('payload rules: hostile values', () => {
  const NESTED = { type: 'OBJECT', fields: { a: { type: 'OBJECT', fields: { b: { type: 'STRING' } } } } };

  it('ignore nesting that no rule describes', () => {
    let deep: unknown = 'end';
    for (let i = 0; i < 100_000; i++) deep = { a: deep };
    expect(collectIssues(NESTED, deep).map(({ pointer, code }) => [pointer, code])).to.deep.equal([
      ['/a/b', 'required'],
    ]);
    expect(collectIssues({ type: 'OBJECT' }, deep)).to.deep.equal([]);
  });

  it('follow rules to the maximum depth of definitions', () => {
    let rule: Rule = { type: 'NUMBER' };
    let value: Json = 'x';
    for (let i = 0; i < 14; i++) [rule, value] = [{ type: 'OBJECT', fields: { a: rule } }, { a: value }];
    expect(collectIssues(rule, value).map(({ pointer }) => pointer)).to.deep.equal(['/a'.repeat(14)]);
  });

  it('check no item of a list that is too long', () => {
    const items = Array.from({ length: 10_000 }, () => 1);
    for (const type of ['ARRAY', 'STRINGARRAY']) {
      const codes = collectIssues({ type, arr_length: 9_999 }, items).map(({ code }) => code);
      expect(codes, type).to.deep.equal(['arr_length']);
    }
  });

  it('limit the issues of an invalid list to 50', () => {
    const items = Array.from({ length: 10_000 }, () => 1);
    for (const type of ['ARRAY', 'STRINGARRAY']) expect(collectIssues({ type }, items), type).to.have.length(50);
    const unknown = Object.fromEntries(items.map((_, i) => [`k${i}`, 1]));
    expect(collectIssues({ type: 'OBJECT', closed: true }, unknown)).to.have.length(50);
  });

  it('accept own properties only as fields', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    for (const name of names) {
      const fields = Object.fromEntries([[name, { type: 'STRING' }]]);
      const found = collectIssues({ type: 'OBJECT', fields }, {});
      expect(
        found.map(({ code }) => code),
        name,
      ).to.deep.equal(['required']);
    }
    const own = JSON.parse('{"__proto__": {"admin": true}}') as Json;
    expect(collectIssues({ type: 'OBJECT', closed: true }, own).map(({ pointer }) => pointer)).to.deep.equal([
      '/__proto__',
    ]);
    expect(collectIssues({ type: 'OBJECT', fields: { admin: { type: 'STRING' } } }, own)).to.have.length(1);
  });

  it('reject NaN, Infinity and integers beyond 2^53; minus zero is zero', () => {
    const codes = (value: unknown): string[] => collectIssues({ type: 'NUMBER' }, value).map(({ code }) => code);
    for (const value of [NaN, Infinity, -Infinity, '', ' ', [], {}, true, [5]]) {
      expect(codes(value), typeof value).to.deep.equal(['type']);
    }
    expect(codes(2 ** 53)).to.deep.equal([]);
    expect(codes(-0)).to.deep.equal([]);
    expect(Object.is(fromText({ type: 'NUMBER' }, '-0'), 0)).to.equal(true);
  });

  it('measure huge texts, and reject addresses among them', () => {
    const huge = 'x'.repeat(1_000_000);
    expect(collectIssues({ type: 'STRING', max_length: 10 }, huge).map(({ code }) => code)).to.deep.equal([
      'max_length',
    ]);
    expect(collectIssues({ type: 'STRING', max_length: 1_000_000 }, huge)).to.deep.equal([]);
    expect(collectIssues({ type: 'EMAIL' }, `${huge}@example.com`)).to.have.length(1);
    expect(collectIssues({ type: 'STRING', max_length: 500_000 }, '👍'.repeat(500_000))).to.deep.equal([]);
    expect(fromText({ type: 'NUMBER' }, '1'.repeat(1_000_000))).to.equal('1'.repeat(1_000_000));
  });

  it('count half of a surrogate pair as one character, and reject it in an address', () => {
    expect(collectIssues({ type: 'STRING', min_length: 2 }, '\ud800')).to.have.length(1);
    expect(collectIssues({ type: 'STRING', min_length: 2, max_length: 2 }, '\udc00\ud800')).to.deep.equal([]);
    expect(collectIssues({ type: 'EMAIL' }, 'a\ud800@example.com')).to.have.length(1);
  });
});

describe('payload rules: a list as payload', () => {
  let validate: (payload: unknown) => string[];
  before(async () => {
    const plugins = await loadPlugins([]);
    const feature = await plugins.handle<Feature>('feature', 'payload_validation');
    const value = {
      payload_validation: [{ field: { email: { type: 'EMAIL' }, n: { type: 'NUMBER', optional: true } } }],
    };
    const { steps } = feature.plan({ slot: 'actionable', value, pointer: '', holder: {} }, {} as PlanTools);
    validate = (payload) => {
      const frame = { payload, invocation: { texts: null } as Invocation } as Frame;
      try {
        for (const step of steps) void step.run(frame, { result: null });
        return [];
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        return (error.options.issues ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
      }
    };
  });

  it('check each item, at its index', () => {
    const good = { email: 'a@b.co' };
    expect(validate([good, good])).to.deep.equal([]);
    expect(validate([])).to.deep.equal([]);
    expect(validate([good, { email: 'x', n: '5' }, {}])).to.deep.equal([
      '/1/email email',
      '/1/n type',
      '/2/email required',
    ]);
  });

  it('report an item that is not an object', () => {
    expect(validate([1, null, [], 'x'])).to.deep.equal(['/0 type', '/1 type', '/2 type', '/3 type']);
  });

  it('check an object as usual', () => {
    expect(validate({ email: 'x' })).to.deep.equal(['/email email']);
  });

  it('limit the issues to 50', () => expect(validate(Array.from({ length: 10_000 }, () => 1))).to.have.length(50));
});
