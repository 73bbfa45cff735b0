/**
 * Helpers of exports and observers: parsing of foreign JSON, linear patterns, Markdown elements, texts of bounds, and
 * the traceparent header.
 */
import { expect } from 'chai';
import { array, number, string } from 'yup';
import * as read from '../../../language/export/data-reader.js';
import { describeBounds } from '../../../language/export/describe-field.js';
import {
  toAnchor,
  joinBlocks,
  formatJsonBlock,
  toMidSentence,
  formatTable,
} from '../../../language/export/markdown.js';
import type { Json } from '../../../contract/json.js';
import type { SchemaLike } from '../../../contract/plugin-spec.js';
import { foldSchema } from '../../../language/schema/fold.js';
import { getByteLength, findKeyFlaw, getVariableName } from '../../../plugins/tokens/shared/keys.light.js';
import { checkConstantReceiver, isOneAccessor } from '../../../plugins/broadcasts/shared/receiver-names.light.js';
import { readTraceparent, writeTraceparent } from '../../../plugins/observers/opentelemetry/tracing.js';

describe('JSON of unknown origin', () => {
  const caps = { characters: 60, depth: 2, text: 5, items: 3 };
  const readWhole = (text: string): string => {
    try {
      return JSON.stringify(read.parseUntrustedJson(text, caps));
    } catch (error) {
      return (error as Error).message;
    }
  };
  const WHOLE: readonly (readonly [text: string, result: string])[] = [
    ['{"a":[1,2,3],"b":{"c":null},"d":"12345"}', '{"a":[1,2,3],"b":{"c":null},"d":"12345"}'],
    [`${' '.repeat(59)}1`, '1'],
    [`${' '.repeat(60)}1`, 'the whole is longer than 60 characters'],
    ['{', 'the whole is not JSON'],
    ['[[1]]', '[[1]]'],
    ['[[[1]]]', '/0/0/0 is nested more than 2 levels deep'],
    ['{"a":"123456"}', '/a is longer than 5 characters'],
    ['"123456"', 'the whole is longer than 5 characters'],
    ['[1,2,3,4]', 'the whole has more than 3 entries'],
    ['{"a":{"__proto__":1}}', '/a has the key "__proto__", which is reserved'],
  ];
  for (const [text, result] of WHOLE) it(`${text.trim()}: ${result}`, () => expect(readWhole(text)).to.equal(result));

  const PIECES: readonly (readonly [
    title: string,
    piece: read.Read<unknown>,
    json: Json | undefined,
    result: unknown,
  ])[] = [
    ['text', read.text, 'a', 'a'],
    ['text', read.text, 1, '/x must be text'],
    ['flag', read.flag, false, false],
    ['flag', read.flag, 0, '/x must be true or false'],
    ['number', read.numeric, 0, 0],
    ['number', read.numeric, '0', '/x must be a number'],
    ['any', read.any, null, null],
    ['any', read.any, undefined, '/x must be there'],
    ['one of', read.oneOf<string | boolean>('a', false), false, false],
    ['one of', read.oneOf<string | number>('a', 1), 'b', '/x must be one of a, 1'],
    ['matching', read.matching(/^a/, 'an a'), 'ab', 'ab'],
    ['matching', read.matching(/^a/, 'an a'), 'b', '/x must be an a'],
    ['list', read.list(read.text), ['a'], ['a']],
    ['list', read.list(read.text), ['a', 1], '/x/1 must be text'],
    ['list', read.list(read.text), { 0: 'a' }, '/x must be a list'],
    ['map', read.map(read.text), { a: 1 }, '/x/a must be text'],
    ['map', read.map(read.text), ['a'], '/x must be an object'],
    ['or', read.or(read.text, 5), undefined, 5],
    ['or', read.or(read.text, 5), null, '/x must be text'],
    ['nullable', read.nullable(read.text), null, null],
    ['nullable', read.nullable(read.text), 1, '/x must be text'],
    ['record', read.record({ a: read.text, b: read.or(read.text, undefined) }), { a: 'x' }, { a: 'x' }],
    ['record', read.record({ a: read.text }), { a: 'x', toString: 1 }, '/x has the unknown key "toString"'],
    ['record', read.record({ a: read.text }), {}, '/x/a must be text'],
    ['record', read.record({ toString: read.or(read.text, 'none') }), {}, { toString: 'none' }],
    ['record', read.record({ a: read.text }), [], '/x must be an object'],
  ];
  for (const [title, piece, json, result] of PIECES) {
    it(`${title} of ${JSON.stringify(json) ?? 'undefined'}: ${JSON.stringify(result)}`, () => {
      let found: unknown;
      try {
        found = piece({ json, at: '/x' });
      } catch (error) {
        found = (error as Error).message;
      }
      expect(found).to.deep.equal(result);
    });
  }
});

describe('Markdown elements', () => {
  it('escape the cells of tables', () => {
    expect(formatTable(['a', 'b'], [])).to.equal('');
    expect(formatTable(['a', 'b'], [['x|y', ' 1\n  2 ']])).to.equal('| a | b |\n| --- | --- |\n| x\\|y | 1 2 |');
  });

  it('format anchors of headings, titles in a sentence, and paragraphs', () => {
    expect(['$ENV', 'a_b-c', 'Ä.b c', 'QUERY'].map(toAnchor)).to.deep.equal(['#env', '#a_b-c', '#äbc', '#query']);
    expect(['Field type', 'SQL dialect', 'A'].map(toMidSentence)).to.deep.equal(['field type', 'SQL dialect', 'a']);
    expect(joinBlocks('a', '', ['b', ''], 'c')).to.equal('a\n\nb\n\nc');
  });

  it('print JSON on one line up to a hundred columns', () => {
    const inside = (json: Json): string => formatJsonBlock(json).replace(/^```json\n|\n```$/g, '');
    expect(inside({ a: [1, { b: 'x' }], c: {}, d: null })).to.equal('{ "a": [1, { "b": "x" }], "c": {}, "d": null }');
    expect(inside(['x'.repeat(96)])).to.equal(`["${'x'.repeat(96)}"]`);
    expect(inside(['x'.repeat(97)])).to.equal(`[\n  "${'x'.repeat(97)}"\n]`);
    // Inside, the indent counts as well; the name of the member does not.
    expect(inside({ a: ['x'.repeat(94)] })).to.equal(`{\n  "a": ["${'x'.repeat(94)}"]\n}`);
    expect(inside({ a: ['x'.repeat(95)] })).to.equal(`{\n  "a": [\n    "${'x'.repeat(95)}"\n  ]\n}`);
    expect(inside('x'.repeat(200))).to.equal(JSON.stringify('x'.repeat(200)));
  });
});

describe('descriptions of bounds', () => {
  const doc = { doc: 'A field.' };
  const CASES: readonly (readonly [schema: SchemaLike, words: string])[] = [
    [string().meta(doc), ''],
    [string().min(1).max(5).meta(doc), 'at least 1 character; at most 5 characters'],
    [string().length(4).meta(doc), 'exactly 4 characters'],
    [string().matches(/^x/).meta(doc), 'matches `^x`'],
    [string().oneOf(['a', 'b']).meta(doc), '`"a"`, `"b"`'],
    [array(string().meta(doc)).min(1).max(2).meta(doc), 'at least 1 item; at most 2 items'],
    [number().min(0).max(1).meta(doc), 'at least 0; at most 1'],
    [
      number()
        .moreThan(0)
        .lessThan(2)
        .meta({ ...doc, unit: 'seconds' }),
      'more than 0 seconds; less than 2 seconds',
    ],
    [
      number()
        .max(1)
        .meta({ ...doc, unit: 'seconds' }),
      'at most 1 second',
    ],
    [number().meta({ ...doc, unit: 'seconds' }), 'seconds'],
  ];
  for (const [schema, words] of CASES)
    it(words || 'nothing', () => expect(describeBounds(foldSchema(schema, 'x'))).to.equal(words));
});

describe('keys and recipients in texts', () => {
  it('report what is wrong with a key, without the key', () => {
    expect([findKeyFlaw(''), findKeyFlaw(' \t')].map((issue) => issue?.slice(0, 11))).to.deep.equal([
      'it is empty',
      'it is empty',
    ]);
    expect(findKeyFlaw('changeme'))
      .to.match(/^it is a known sample/)
      .and.not.include('changeme');
    expect(findKeyFlaw('k3-Jd92-mmQ8')).to.equal(null);
    expect([getVariableName('$ENV.KEY'), getVariableName('key'), getVariableName('$ENV')]).to.deep.equal([
      'KEY',
      null,
      '',
    ]);
  });

  it('count bytes in UTF-8', () => {
    for (const text of ['', 'a', '\u007f', '\u0080', 'é', '\u07ff', '\u0800', '€', '\uffff', '\u{10000}', '😀a'])
      expect(getByteLength(text), text).to.equal(Buffer.byteLength(text));
  });

  it('treat names of values as recipients that should have been read', () => {
    const root = {
      actionables: [
        {
          payload_validation: [{ field: { friend: {} } }],
          extract_response_for: [{ extract: 'x', for: 'owner' }],
          depends_on: [{ extract_response_for: [{ extract: 'x', for: 'other' }] }],
        },
      ],
    } as unknown as Parameters<typeof checkConstantReceiver>[2];
    const isName = (json: Json): boolean => checkConstantReceiver(json, '/to', root).length === 1;
    for (const name of [
      'friend',
      'owner',
      'other',
      'user_id',
      'userId',
      'user_uid',
      'user_ids',
      'userIds',
      'id',
      'uid',
      'uids',
      'ids',
    ])
      expect(isName(name), name).to.equal(true);
    for (const json of ['x', 'alice', 'UserId', '9_id', '$PAYLOAD.user_id', 'user-id', 'my id', 5, null, ['id']])
      expect(isName(json), JSON.stringify(json)).to.equal(false);
    expect(['$A.b', ' $A.b', '$A.b ', '$A$B', ''].map(isOneAccessor)).to.deep.equal([true, false, false, false, false]);
  });
});

describe('traceparent header', () => {
  const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const header = (version = '00', traceId = trace, spanId = span, flags = '01', more = ''): string =>
    `${version}-${traceId}-${spanId}-${flags}${more}`;

  it('is accepted if it is valid, including later versions', () => {
    const read = { traceId: trace, spanId: span, traceFlags: 1, isRemote: true };
    expect(readTraceparent([header()])).to.deep.equal(read);
    expect(readTraceparent([header('01', trace, span, '01', '-more')])).to.deep.equal(read);
    expect(readTraceparent([header('fe')])).to.deep.equal(read);
    expect(readTraceparent([header('00', trace, span, '00')])?.traceFlags).to.equal(0);
    expect(readTraceparent([header('00', trace, span, 'ff')])?.traceFlags, 'other flags are not known').to.equal(1);
    expect(readTraceparent([header('00', trace, span, 'f2')])?.traceFlags).to.equal(0);
    const longest = `-${'x'.repeat(512 - header().length - 1)}`;
    expect(readTraceparent([header('01', trace, span, '01', longest)])).to.deep.equal(read);
    expect(readTraceparent([header('01', trace, span, '01', `${longest}x`)])).to.equal(null);
  });

  const NONE: readonly (readonly [title: string, sent: readonly string[]])[] = [
    ['is absent', []],
    ['is repeated', [header(), header()]],
    ['is empty', ['']],
    ['has a forbidden version', [header('ff')]],
    ['has more fields than its version', [header('00', trace, span, '01', '-x')]],
    ['has a trace of zeros', [header('00', '0'.repeat(32))]],
    ['has a span of zeros', [header('00', trace, '0'.repeat(16))]],
    ['has capital letters', [header('00', trace.toUpperCase())]],
    ['has a short trace', [header('00', trace.slice(1))]],
    ['has a long span', [header('00', trace, `${span}0`)]],
    ['has no flags', [header('00', trace, span, '')]],
    ['continues without a hyphen', [header('01', trace, span, '01', 'x')]],
    ['has surrounding space', [` ${header()}`]],
  ];
  for (const [title, sent] of NONE) it(`is ignored if it ${title}`, () => expect(readTraceparent(sent)).to.equal(null));

  it('is written with the sampled flag only', () => {
    expect(writeTraceparent({ traceId: trace, spanId: span, traceFlags: 1 })).to.equal(header());
    expect(writeTraceparent({ traceId: trace, spanId: span, traceFlags: 2 })).to.equal(header('00', trace, span, '00'));
  });
});
