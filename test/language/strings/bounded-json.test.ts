/**
 * Untrusted JSON: what is accepted, and what is rejected for its depth, its number of names or items, its names or its
 * text. The limits are small, so that each text is one beyond them.
 */
import { expect } from 'chai';
import { parseBounded, parseInSteps } from '../../../language/strings/bounded-json.js';

describe('bounded JSON of untrusted origin', () => {
  const LIMITS = { depth: 3, keys: 4, array: 3 };
  const read = (text: string | Uint8Array): unknown => {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    return parseBounded(bytes, () => Buffer.from(bytes).toString(), LIMITS);
  };
  const VALID = [
    '[[[1]]]',
    '[[],[],[]]',
    '{"a":1,"b":2,"c":3,"d":4}',
    '[1,2,3]',
    '{"a":[1,2],"b":[3,4]}',
    '["[[[[{{{{", "::::::", ",,,,,,"]',
    '"\\"[[[["',
    '["a\\\\", 1]',
    '{"protocol1":1,"__proxy__":2}',
    '"__proto__"',
    '"\\ud83d\\ude00"',
    '{"\\u0061":1}',
    '["\\u0061",null]',
    'null',
    '0',
  ];
  it('is read in steps alike, wherever a step ends', () => {
    const readInSteps = (text: string): unknown => {
      const bytes = Buffer.from(text);
      const steps = parseInSteps(bytes, () => text, LIMITS);
      for (let count = 1; ; count++) {
        const { done, value } = steps.next();
        if (done === true) return [count > 3, value];
      }
    };
    for (let more = 0; more < 12; more++) {
      const start = `["${'x'.repeat(262_134 + more)}\\"[[\\\\"`;
      expect(readInSteps(`${start},12345678901234567]`)).to.deep.equal([true, read(`${start},12345678901234567]`)]);
      expect(() => readInSteps(`${start},[[[1]]]]`), String(more))
        .to.throw()
        .with.property('code', 'REQ_TOO_COMPLEX');
    }
    expect(() => readInSteps(`["${'x'.repeat(300_000)}",[1,2,3,4]]`))
      .to.throw()
      .with.property('code', 'REQ_TOO_COMPLEX');
  });

  for (const text of VALID) it(`accepts ${text}`, () => expect(read(text)).to.deep.equal(JSON.parse(text)));

  const REJECTED: readonly (readonly [text: string, code: string, what?: string])[] = [
    ['[[[[1]]]]', 'REQ_TOO_COMPLEX', 'levels'],
    ['{"a":{"b":{"c":{}}}}', 'REQ_TOO_COMPLEX', 'levels'],
    ['[[[[1', 'REQ_MALFORMED'],
    ['{"a":1,"b":2,"c":3,"d":4,"e":5}', 'REQ_TOO_COMPLEX', 'properties'],
    ['[1,2,3,4]', 'REQ_TOO_COMPLEX', 'items in an array'],
    ['{"a":[[1,2,3,4]]}', 'REQ_TOO_COMPLEX', 'items in an array'],
    ['{"a":1e400}', 'REQ_NUMBER'],
    ['[-1e400]', 'REQ_NUMBER'],
    ['[1e-400]', 'REQ_NUMBER'],
    [`[0.${'1'.repeat(400)}]`, 'REQ_NUMBER'],
    ['{12345678901234567:1}', 'REQ_MALFORMED'],
    ['[12345678901234567e]', 'REQ_MALFORMED'],
    ['{"__proto__":1}', 'REQ_NAME_REFUSED'],
    ['{"prototype":1}', 'REQ_NAME_REFUSED'],
    ['[{"constructor":1}]', 'REQ_NAME_REFUSED'],
    ['{"\\u005f_proto__":1}', 'REQ_NAME_REFUSED'],
    ['{"a":{"const\\u0072uctor":1}}', 'REQ_NAME_REFUSED'],
    ['"\\ud83d"', 'REQ_MALFORMED'],
    ['{"\\ude00":1}', 'REQ_MALFORMED'],
    ['{"a":["\\ude00"]}', 'REQ_MALFORMED'],
    ['{"a":1', 'REQ_MALFORMED'],
    ['"a', 'REQ_MALFORMED'],
    ['', 'REQ_MALFORMED'],
    ['[1,]', 'REQ_MALFORMED'],
    ['{a:1}', 'REQ_MALFORMED'],
  ];
  for (const [text, code, what] of REJECTED) {
    it(`rejects ${text} with ${code}${what === undefined ? '' : ` for its ${what}`}`, () => {
      let error: unknown;
      try {
        read(text);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).to.include({ code });
      const { params } = error as { params: Readonly<Record<string, unknown>> };
      const max = { levels: 3, properties: 4, 'items in an array': 3 }[what ?? ''];
      expect(params).to.deep.equal(what === undefined ? {} : { what, max });
    });
  }
});
