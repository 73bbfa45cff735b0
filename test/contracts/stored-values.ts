/**
 * Values that stores, drivers and parsers are known to change: texts, numbers, timestamps and JSON, each as JSON text,
 * with the expected value when read. Data and small helpers; the suites send them to each position of each store.
 */
import { expect } from 'chai';
import type { TestKernel } from '../support/kernel.js';

/** No two are equal, however much alike they look. */
export const TEXTS: readonly string[] = [
  ...['admin', '\ufeffadmin', '\ufeff', 'ad\ufeffmin', 'admin\ufeff', '\ufeff\ufeffadmin'],
  ...['Admin', 'ADMIN', '\u00e1dmin', 'a\u0301dmin', 'adm\u0131n', 'adm\u0130n', '\uff41dmin', '\u0430dmin'],
  ...['admin ', 'admin  ', ' admin', 'admin\t', 'admin\n', 'admin\r\n', 'admin\u00a0', 'admin\u3000', '\u200badmin'],
  ...[
    '',
    ' ',
    '  ',
    '\t',
    '\n',
    '\u2028',
    '\u2029',
    '\u0085',
    '\u0001',
    '\u001f',
    '\u007f',
    '\u009f',
    '\ufffd',
    '\uffff',
  ],
  ...['\u202eadmin', '\u2066admin\u2069', '\u200dadmin', '\u00adadmin', 'admin\u034f', '\u{e0061}admin'],
  ...['\u00e9', 'e\u0301', '\u00df', 'ss', '\ufb01', 'fi', '\u212b', '\u00c5', 'A\u030a', '\u1e9e', '\u01c4', '\u01c5'],
  ...['\u{1f600}', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', '\u{1d4b3}', '\u{10ffff}', '\ud7ff', '\ue000'],
  ...[
    '\\',
    '\\\\',
    'a\\b',
    "'",
    "''",
    '"',
    '`',
    '\\u0000',
    '\\0',
    '%',
    '_',
    '%_\\',
    '$1',
    '?',
    ':a',
    '@a',
    '--',
    '/*',
    ';',
  ],
  ...[
    '$PAYLOAD.text',
    '$ENV.HOME',
    '{{text}}',
    '${text}',
    '__proto__',
    'constructor',
    'toString',
    'null',
    'NULL',
    'true',
  ],
  ...[
    '{}',
    '[]',
    '{1,2}',
    '{"a":1}',
    '[null]',
    '0',
    '00',
    '-0',
    '1',
    '1.0',
    '1e3',
    '0x10',
    '\u0663',
    'NaN',
    'Infinity',
  ],
  ...['9007199254740993', '9007199254740992', '2026-01-01', '2026-01-01T00:00:00.000Z', 'undefined', 'x'.repeat(240)],
];

/** Stored and found, but too long for a key. */
export const LONG_TEXTS: readonly string[] = ['\u{1f600}'.repeat(17_000)];

/** Those that databases take for another, in one collation or the other. */
export const ALIKE: readonly string[] = [
  'admin',
  '\ufeffadmin',
  'Admin',
  '\u00e1dmin',
  'admin ',
  '',
  '\u00e9',
  'ss',
  'fi',
  '\u{1f600}',
];

export const createTextCases = (texts: readonly string[]): Case[] =>
  texts.map((text) => JSON.stringify(text)).map((json) => ({ json, read: json }));

export interface Case {
  /** As it is sent. */
  readonly json: string;
  /** The expected value; null: rejected with 422. */
  readonly read: string | null;
}
const createSameCases = (...all: readonly string[]): Case[] => all.map((json) => ({ json, read: json }));
const createCase = (json: string, read: string): Case => ({ json, read });
const createRejectedCases = (...all: readonly string[]): Case[] => all.map((json) => ({ json, read: null }));

/** Of a column of 64 bits. */
export const WHOLES: readonly Case[] = [
  ...createSameCases('0', '1', '-1', '2147483648', '9007199254740991', '-9007199254740991'),
  ...[createCase('-0', '0'), createCase('1e3', '1000'), createCase('10.0', '10'), createCase('"12"', '12')],
  ...['9007199254740993', '-9007199254740993', '9223372036854775807', '-9223372036854775808'].flatMap((digits) => [
    createCase(digits, `"${digits}"`),
    createCase(`"${digits}"`, `"${digits}"`),
  ]),
  ...[createCase('9.007199254740993e15', '"9007199254740993"'), createCase('9007199254740992', '"9007199254740992"')],
  ...createRejectedCases(
    '9223372036854775808',
    '-9223372036854775809',
    '12345678901234567890123',
    '1.5',
    '1e400',
    '-1e400',
  ),
  ...createRejectedCases('1e30', '"NaN"', '"x"', '""', '9007199254740993.5'),
];

/** Of a column of doubles. */
export const FLOATS: readonly Case[] = [
  ...createSameCases(
    '0',
    '0.1',
    '-0.5',
    '0.30000000000000004',
    '5e-324',
    '1.7976931348623157e+308',
    '1e-7',
    '123456789.125',
  ),
  ...[
    createCase('-0', '0'),
    createCase('1e3', '1000'),
    createCase('0.10000000000000001', '0.1'),
    createCase('1e22', '1e+22'),
  ],
  ...createSameCases('9007199254740991', '9007199254740992', '9007199254740994'),
  ...createRejectedCases(
    '9007199254740993',
    '-9007199254740993',
    '"9007199254740993"',
    '123456789012345678901',
    '1e400',
    '1e-400',
  ),
  ...createRejectedCases('"x"', '"1e400"'),
];

/** Fractions are stored as precisely as a double; in a decimal to the last digit. */
export const DECIMALS: readonly Case[] = [
  ...createSameCases('0.1', '-12.5', '12345678901234.56'),
  ...[
    '12345678901234.567',
    '12345678901234567.89',
    '0.12345678901234567891',
    '9007199254740993',
    '12345678901234567890123',
  ].map((digits) => createCase(digits, `"${digits}"`)),
  createCase('"12345678901234567.89"', '"12345678901234567.89"'),
];

/** Of a timestamp column; `digits` of a second are stored. */
export const createTimeCases = (digits: 3 | 6): readonly Case[] => {
  const formatSecond = (text: string): string => `2026-01-02T03:04:05.${text.slice(0, digits)}`;
  return [
    ...createSameCases('"2026-01-02T03:04:05.678Z"', '"0001-01-01T00:00:00.000Z"', '"9999-12-31T23:59:59.999Z"'),
    ...createSameCases(
      '"1969-12-31T23:59:59.999Z"',
      '"1900-02-28T00:00:00.000Z"',
      '"2028-02-29T12:00:00.000Z"',
      '"2038-01-19T03:14:08.000Z"',
    ),
    createCase('"2026-01-02"', '"2026-01-02T00:00:00.000Z"'),
    createCase('"2026-01-02T03:04"', '"2026-01-02T03:04:00.000Z"'),
    createCase('"2026-01-02T03:04:05"', '"2026-01-02T03:04:05.000Z"'),
    createCase('"2026-03-29T02:30:00+01:00"', '"2026-03-29T01:30:00.000Z"'),
    createCase('"2026-03-29T02:30:00+02:00"', '"2026-03-29T00:30:00.000Z"'),
    createCase('"2026-10-25T02:30:00-11:30"', '"2026-10-25T14:00:00.000Z"'),
    createCase('"2026-01-01T13:59:59+14:00"', '"2025-12-31T23:59:59.000Z"'),
    createCase('"2026-01-02T03:04:05.123456Z"', `"${formatSecond('123456')}Z"`),
    createCase('"2026-01-02T03:04:05.9999999Z"', `"${formatSecond('999999')}Z"`),
    createCase('"2026-01-02T03:04:05.123456789Z"', `"${formatSecond('123456')}Z"`),
    ...createRejectedCases(
      '"0000-01-01T00:00:00Z"',
      '"0001-01-01T00:00:00+01:00"',
      '"9999-12-31T23:59:59-01:00"',
      '"10000-01-01T00:00:00Z"',
    ),
    ...createRejectedCases(
      '"2026-06-30T23:59:60Z"',
      '"2026-01-01T24:00:00Z"',
      '"2026-02-29T00:00:00Z"',
      '"2026-04-31"',
      '"-2026-01-01"',
    ),
    ...createRejectedCases(
      '"now"',
      '"infinity"',
      '"today"',
      '"x"',
      '""',
      '"2026-01-02T03:04:05.1234567890Z"',
      '5',
      'true',
    ),
  ];
};

const nestJson = (json: string, levels: number): string => '[{"a":'.repeat(levels) + json + '}]'.repeat(levels);
const KEYS = [
  '',
  ' ',
  '0',
  '01',
  'toString',
  'length',
  '\ufeffk',
  'K',
  'k',
  "it's",
  'a"b',
  'a\\b',
  'a/b~c',
  '\u00e9',
  'e\u0301',
  '$',
  'a.b',
  '$set',
  '\u{1f600}',
];
const formatMember = (key: string): string => `{${JSON.stringify(key)}:${JSON.stringify(key)}}`;

/** Of a JSON column, inside an object. `names`: of every kind; documents accept none with a dot or a dollar sign. */
export const createJsonCases = (names: (key: string) => boolean): readonly Case[] => [
  ...createSameCases(
    'null',
    'true',
    'false',
    '0',
    '""',
    '[]',
    '{}',
    '[[]]',
    '[null,{"b":null}]',
    nestJson('{"b":[1,"\ufeff"]}', 12),
  ),
  ...createSameCases(
    '0.1',
    '5e-324',
    '1.7976931348623157e+308',
    '9007199254740991',
    '"9007199254740993"',
    '"\ufeffadmin"',
    '"admin "',
  ),
  ...KEYS.filter(names)
    .map(formatMember)
    .flatMap((json) => createSameCases(json)),
  ...KEYS.filter((key) => !names(key))
    .map(formatMember)
    .flatMap((json) => createRejectedCases(json)),
  createCase('-0', '0'),
  createCase('{"a":1,"a":2}', '{"a":2}'),
  ...createRejectedCases('1e400', nestJson('[-1e400]', 3), '"a\\u0000b"'),
];

/** As in a response: the order of names does not matter. */
export const parseAnswerJson = (json: string): unknown => JSON.parse(json) as unknown;

export interface InsertCase {
  readonly name: string;
  readonly body: string;
  readonly read: unknown;
}

export interface SendOptions {
  readonly field: string;
  /** Ids begin with it. */
  readonly name?: string;
  readonly wrap?: (json: string) => string;
}

/** Sends all cases at once, the accepted ones in one request; returns the wrong ones. */
export async function findMismatches(
  kernel: TestKernel,
  path: string,
  cases: readonly Case[],
  { field, name = field, wrap = (json) => json }: SendOptions,
): Promise<string[]> {
  const formatItem = ({ json }: Case, index: number): string => `{"id":"${name} ${index}","${field}":${wrap(json)}}`;
  const kept = cases.filter(({ read }) => read !== null);
  const stored = await kernel.post<Record<string, unknown>[]>(path, `[${kept.map(formatItem).join()}]`);
  const wrong: string[] = [];
  if (stored.status !== 200) return [`${path} ${stored.status} ${stored.text.slice(0, 300)}`];
  // Of this call only: others have stored large values.
  const asked = { like: `${name} %`, ids: kept.map((_, index) => `${name} ${index}`) };
  const found = await kernel.post<Record<string, unknown>[]>(`${path}-all`, asked);
  const rows = new Map(found.body.map((row) => [row['id'], row[field]]));
  kept.forEach(({ json, read }, index) => {
    const places: readonly (readonly [where: string, value: unknown])[] = [
      ['answered', stored.body[index]?.[field]],
      ['found', rows.get(`${name} ${index}`)],
    ];
    for (const [where, value] of places) {
      const wanted = parseAnswerJson(wrap(read ?? ''));
      try {
        expect(value).to.deep.equal(wanted);
      } catch {
        wrong.push(`${where} for ${json.slice(0, 60)}: ${JSON.stringify(value)?.slice(0, 80)}`);
      }
    }
  });
  const rejections = cases.filter(({ read }) => read === null);
  const answers = await Promise.all(rejections.map((one) => kernel.post(path, `[${formatItem(one, 0)}]`)));
  answers.forEach(({ status, text }, index) => {
    if (status !== 422)
      wrong.push(`${rejections[index]?.json.slice(0, 60)} is not refused: ${status} ${text.slice(0, 120)}`);
  });
  return wrong;
}
