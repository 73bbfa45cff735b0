/**
 * Rules of payload fields and the values on both sides of each bound: accepted values, and the code, the path and the
 * message of rejected ones. Samples of rules are in the suite of the kind.
 */
import { expect } from 'chai';
import { ExactNumber } from '../../contract/exact-number.js';
import type { Issue } from '../../contract/problem.js';
import { asText, type Json, type JsonObject } from '../../contract/json.js';
import type { RuntimeContext } from '../../contract/plugin.js';
import { MAX_ISSUES } from '../../plugins/validation-types/shared/fields.light.js';
import type { ValidationType } from '../../plugins/validation-types/kind.js';
import ARRAY from '../../plugins/validation-types/array/runtime.js';
import EMAIL from '../../plugins/validation-types/email/runtime.js';
import NUMBER from '../../plugins/validation-types/number/runtime.js';
import OBJECT from '../../plugins/validation-types/object/runtime.js';
import STRINGARRAY from '../../plugins/validation-types/string-array/runtime.js';
import STRING from '../../plugins/validation-types/string/runtime.js';

const types = new Map<string, ValidationType>();
function requireType(name: string): ValidationType {
  const type = types.get(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}
for (const [name, runtime] of Object.entries({ STRING, EMAIL, NUMBER, OBJECT, ARRAY, STRINGARRAY })) {
  // Types use their context only for other types.
  const type = runtime.create?.({
    resolve: (_: unknown, other: string) => requireType(other),
  } as unknown as RuntimeContext);
  if (type !== undefined) types.set(name, type);
}

function collectIssues({ type, ...rule }: JsonObject, value: unknown): Issue[] {
  const issues: Issue[] = [];
  requireType(asText(type)).compile(rule)(value, '/f', issues);
  return issues;
}
const formatIssues = (issues: readonly Issue[]): string[] =>
  issues.map(({ pointer, code, detail }) => `${pointer} ${code}: ${detail}`);

const CASES: readonly (readonly [rule: JsonObject, value: unknown, issues: readonly string[]])[] = [
  [{ type: 'STRING' }, '', []],
  [{ type: 'STRING' }, 5, ['/f type: must be text']],
  [{ type: 'STRING', min_length: 2 }, 'a', ['/f min_length: must have at least 2 characters']],
  [{ type: 'STRING', min_length: 2 }, 'ab', []],
  [{ type: 'STRING', max_length: 2 }, 'ab', []],
  [{ type: 'STRING', max_length: 2 }, 'abc', ['/f max_length: must have at most 2 characters']],
  [{ type: 'STRING', max_length: 0 }, 'a', ['/f max_length: must have at most 0 characters']],
  [{ type: 'EMAIL' }, 'ada@example.com', []],
  [{ type: 'EMAIL' }, ['ada@example.com'], ['/f email: must be an e-mail address']],
  [{ type: 'EMAIL' }, 'ada', ['/f email: must be an e-mail address']],
  [{ type: 'EMAIL', max_length: 6 }, 'ada@example.com', ['/f max_length: must have at most 6 characters']],
  [{ type: 'EMAIL', min_length: 99 }, 'a@b.co', ['/f min_length: must have at least 99 characters']],
  [{ type: 'NUMBER' }, 0, []],
  [{ type: 'NUMBER' }, -1.5, []],
  [{ type: 'NUMBER' }, '1', ['/f type: must be a number']],
  [{ type: 'NUMBER' }, NaN, ['/f type: must be a number']],
  [{ type: 'NUMBER' }, Infinity, ['/f type: must be a number']],
  [{ type: 'NUMBER' }, Number.MAX_SAFE_INTEGER, []],
  [{ type: 'NUMBER' }, Number.MAX_SAFE_INTEGER + 1, []],
  [{ type: 'NUMBER', integer: true }, new ExactNumber('9007199254740993'), []],
  [
    { type: 'NUMBER', integer: true },
    new ExactNumber('0.12345678901234567890'),
    ['/f integer: must be a whole number'],
  ],
  [
    { type: 'NUMBER', max: 9007199254740992 },
    new ExactNumber('9007199254740993'),
    ['/f max: must be at most 9007199254740992'],
  ],
  [
    { type: 'NUMBER', min: -9007199254740992 },
    new ExactNumber('-9007199254740993'),
    ['/f min: must be at least -9007199254740992'],
  ],
  [{ type: 'OBJECT' }, new ExactNumber('9007199254740993'), ['/f type: must be an object']],
  [{ type: 'NUMBER', integer: true }, 2, []],
  [{ type: 'NUMBER', integer: true }, 2.5, ['/f integer: must be a whole number']],
  [{ type: 'NUMBER', integer: false }, 2.5, []],
  [{ type: 'NUMBER', min: 2 }, 2, []],
  [{ type: 'NUMBER', min: 2 }, 1.9, ['/f min: must be at least 2']],
  [{ type: 'NUMBER', min: 0 }, -1, ['/f min: must be at least 0']],
  [{ type: 'NUMBER', max: 2 }, 2, []],
  [{ type: 'NUMBER', max: 2 }, 2.1, ['/f max: must be at most 2']],
  [{ type: 'NUMBER', max: 0 }, 1, ['/f max: must be at most 0']],
  [{ type: 'OBJECT' }, {}, []],
  [{ type: 'OBJECT' }, [], ['/f type: must be an object']],
  [{ type: 'OBJECT' }, 'a', ['/f type: must be an object']],
  [{ type: 'OBJECT', fields: { a: { type: 'STRING' } } }, { b: 1 }, ['/f/a required: is required']],
  [{ type: 'OBJECT', fields: { a: { type: 'STRING' } } }, { a: null }, ['/f/a required: is required']],
  [{ type: 'OBJECT', fields: { a: { type: 'STRING', optional: true } } }, { a: null }, []],
  [{ type: 'OBJECT', fields: { a: { type: 'STRING', optional: true } } }, { a: 1 }, ['/f/a type: must be text']],
  [{ type: 'OBJECT', fields: { toString: { type: 'STRING' } } }, {}, ['/f/toString required: is required']],
  [{ type: 'OBJECT', fields: { 'a/~b': { type: 'STRING' } } }, {}, ['/f/a~1~0b required: is required']],
  [
    { type: 'OBJECT', closed: true, fields: { a: { type: 'NUMBER' } } },
    { a: 1, 'b/c': 2 },
    ['/f/b~1c unknown: is not an allowed field'],
  ],
  [
    { type: 'OBJECT', closed: true },
    { ['n'.repeat(100)]: 1 },
    [`/f/${'n'.repeat(100)} unknown: is not an allowed field`],
  ],
  [{ type: 'OBJECT', closed: true }, { ['n'.repeat(101)]: 1 }, ['/f unknown: is not an allowed field']],
  [{ type: 'OBJECT', closed: false, fields: {} }, { b: 1 }, []],
  [
    {
      type: 'OBJECT',
      min_length: 2,
      max_length: 3,
      fields: { a: { type: 'STRING' }, b: { type: 'STRING', max_length: 9 } },
    },
    { a: 'abcd', b: 'a' },
    ['/f/a max_length: must have at most 3 characters', '/f/b min_length: must have at least 2 characters'],
  ],
  [
    { type: 'OBJECT', fields: { a: { type: 'OBJECT', fields: { b: { type: 'NUMBER' } } } } },
    { a: { b: 'x' } },
    ['/f/a/b type: must be a number'],
  ],
  [{ type: 'ARRAY' }, [], []],
  [{ type: 'ARRAY' }, { length: 1 }, ['/f type: must be a list of objects']],
  [{ type: 'ARRAY' }, [{}, 1, null], ['/f/1 type: must be an object', '/f/2 type: must be an object']],
  [{ type: 'ARRAY', arr_min_length: 1 }, [], ['/f arr_min_length: must have at least 1 items']],
  [
    { type: 'ARRAY', arr_min_length: 2 },
    [1],
    ['/f arr_min_length: must have at least 2 items', '/f/0 type: must be an object'],
  ],
  [{ type: 'ARRAY', arr_length: 1 }, [{}], []],
  [{ type: 'ARRAY', arr_length: 1 }, [1, 2], ['/f arr_length: must have at most 1 items']],
  [{ type: 'ARRAY', arr_length: 0 }, [{}], ['/f arr_length: must have at most 0 items']],
  [
    { type: 'ARRAY', closed: true, fields: { a: { type: 'NUMBER' } } },
    [{ a: 1 }, { a: 'x', b: 1 }],
    ['/f/1/a type: must be a number', '/f/1/b unknown: is not an allowed field'],
  ],
  [{ type: 'STRINGARRAY' }, ['a', ''], []],
  [{ type: 'STRINGARRAY' }, 'a', ['/f type: must be a list of texts']],
  [{ type: 'STRINGARRAY' }, ['a', 1], ['/f/1 type: must be text']],
  [{ type: 'STRINGARRAY', arr_min_length: 2 }, ['a'], ['/f arr_min_length: must have at least 2 items']],
  [{ type: 'STRINGARRAY', arr_length: 1 }, [1, 2], ['/f arr_length: must have at most 1 items']],
  [
    { type: 'STRINGARRAY', items_min_length: 2, items_max_length: 3 },
    ['a', 'ab', 'abc', 'abcd'],
    ['/f/0 items_min_length: must have at least 2 characters', '/f/3 items_max_length: must have at most 3 characters'],
  ],
];

describe('rules of payload fields', () => {
  for (const [rule, value, issues] of CASES) {
    it(`${JSON.stringify(rule)} and ${String(JSON.stringify(value))}: ${issues.length === 0 ? 'passes' : issues.join('; ')}`, () =>
      expect(formatIssues(collectIssues(rule, value))).to.deep.equal(issues));
  }

  it(`report ${MAX_ISSUES} issues at most`, () => {
    const many = Array.from({ length: MAX_ISSUES + 5 }, (_, i) => i);
    const fields = Object.fromEntries(many.map((i) => [`f${i}`, { type: 'STRING' }]));
    expect(collectIssues({ type: 'OBJECT', fields }, {})).to.have.length(MAX_ISSUES);
    expect(collectIssues({ type: 'OBJECT', closed: true }, fields)).to.have.length(MAX_ISSUES);
    expect(collectIssues({ type: 'ARRAY' }, many)).to.have.length(MAX_ISSUES);
    expect(collectIssues({ type: 'STRINGARRAY' }, many)).to.have.length(MAX_ISSUES);
  });
});

describe('values sent as text', () => {
  const TEXTS: readonly (readonly [text: unknown, value: unknown])[] = [
    ['0', 0],
    ['-1', -1],
    ['10', 10],
    ['1.50', 1.5],
    ['-0.5', -0.5],
    ['1e3', 1000],
    ['1E+2', 100],
    ['5e-1', 0.5],
    ...['', ' 1', '1 ', '+1', '01', '.5', '1.', '1e', '0x10', '1,5', 'NaN', '--1', '1e999', '1_000'].map(
      (text) => [text, text] as const,
    ),
    [1, 1],
    [['1'], ['1']],
  ];
  for (const [text, value] of TEXTS) {
    it(`convert ${JSON.stringify(text)} to ${JSON.stringify(value)} for a number`, () =>
      expect(requireType('NUMBER').fromText?.(text)).to.deep.equal(value));
  }

  it('are zero without a sign, and lists of one text', () => {
    expect(Object.is(requireType('NUMBER').fromText?.('-0'), 0)).to.equal(true);
    expect(requireType('STRINGARRAY').fromText?.('a')).to.deep.equal(['a']);
    expect(requireType('STRINGARRAY').fromText?.(['a', 'b'])).to.deep.equal(['a', 'b']);
  });
});

describe('e-mail addresses', () => {
  const label = 'l'.repeat(63);
  /** An address of so many characters. */
  const long = (length: number): string => `a@${`${label}.`.repeat(3)}${'x'.repeat(length - 194 - 4)}.com`;
  const VALID = [
    ...['a@b.co', "!#$%&'*+/=?^_`{|}~-@b.co", 'first.last@b.co', 'ä@ö.de', 'a@1.2.x3', 'a@b-c.d', '😀@b.co'],
    ...[`${'a'.repeat(64)}@b.co`, `a@${label}.com`, long(254), 'A9@B.CO', 'a@b.4a'],
  ];
  for (const text of VALID)
    it(`include ${text}`, () => expect(collectIssues({ type: 'EMAIL' }, text)).to.deep.equal([]));
  const NONE = [
    ...[
      '',
      '@',
      'a@',
      '@b.co',
      'a@b',
      'a@@b.co',
      'a b@c.de',
      '.a@b.co',
      'a.@b.co',
      'a..b@c.de',
      'a@.co',
      'a@b.',
      'a@b..co',
    ],
    ...[
      'a@-b.co',
      'a@b-.co',
      'a@b.-',
      'a@b_c.de',
      '"a"@b.co',
      'a@[1.2.3.4]',
      'a@1.2.3.4',
      'a@b.12',
      'a\n@b.co',
      'a@b.co\n',
    ],
    ...[
      '(a)@b.co',
      'a,b@c.de',
      'a;b@c.de',
      'a:b@c.de',
      '<a@b.co>',
      'a\\b@c.de',
      'a@b\u00a0c.de',
      '\ud83d@b.co',
      'a@b c.de',
    ],
    ...[`${'a'.repeat(65)}@b.co`, `a@${label}l.com`, long(255)],
  ];
  for (const text of NONE)
    it(`do not include ${JSON.stringify(text)}`, () =>
      expect(collectIssues({ type: 'EMAIL' }, text).map(({ code }) => code)).to.deep.equal(['email']));
});

describe('samples of rules', () => {
  const SAMPLES: readonly (readonly [rule: JsonObject, sample: Json])[] = [
    [{ type: 'STRING' }, 'text'],
    [{ type: 'STRING', min_length: 6 }, 'textxx'],
    [{ type: 'STRING', max_length: 2 }, 'te'],
    [{ type: 'EMAIL' }, 'ada@example.com'],
    [{ type: 'EMAIL', max_length: 15 }, 'ada@example.com'],
    [{ type: 'EMAIL', max_length: 14 }, 'a@b.co'],
    [{ type: 'EMAIL', min_length: 17 }, 'aaada@example.com'],
    [{ type: 'EMAIL', min_length: 200 }, `${'a'.repeat(61)}ada@example.com`],
    [{ type: 'NUMBER' }, 1],
    [{ type: 'NUMBER', min: 0 }, 1],
    [{ type: 'NUMBER', min: 4.2 }, 5],
    [{ type: 'NUMBER', max: 0.5 }, 0.5],
    [{ type: 'NUMBER', max: 0.5, integer: true }, 0],
    [{ type: 'NUMBER', min: -9, max: -3 }, -3],
    [{ type: 'ARRAY', fields: { a: { type: 'NUMBER' }, b: { type: 'STRING', optional: true } } }, [{ a: 1 }]],
    [{ type: 'ARRAY', arr_min_length: 2 }, [{}, {}]],
    [{ type: 'ARRAY', arr_min_length: 0 }, [{}]],
    [{ type: 'ARRAY', arr_length: 0 }, []],
    [{ type: 'STRINGARRAY', arr_min_length: 2, items_max_length: 1 }, ['t', 't']],
    [{ type: 'OBJECT', max_length: 3, fields: { a: { type: 'STRING' } } }, { a: 'tex' }],
  ];
  for (const [{ type, ...rule }, sample] of SAMPLES) {
    it(`${JSON.stringify({ type, ...rule })}: ${JSON.stringify(sample)}`, () =>
      expect(requireType(asText(type)).sample(rule)).to.deep.equal(sample));
  }
});
