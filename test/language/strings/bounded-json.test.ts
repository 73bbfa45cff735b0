/**
 * Untrusted JSON: what is accepted, and what is rejected for its depth, its number of names or items, its names or its
 * text. The limits are small, so that each text is one beyond them.
 */
import { expect } from 'chai';
import { parseBounded, parseInSteps } from '../../../language/strings/bounded-json.js';
import { parseParts } from '../../../language/strings/json-parts.js';

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
      const steps = parseInSteps(bytes, (from, to) => bytes.toString('utf8', from, to), LIMITS);
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

describe('JSON that is parsed in parts', () => {
  const TOKENS = ['[', ']', '{', '}', ',', ':', '"a"', '1'];
  const refuse = (parse: () => unknown): string => {
    try {
      return JSON.stringify(parse());
    } catch {
      return 'refused';
    }
  };
  const parseAll = (text: string, size: number): unknown => {
    const bytes = Buffer.from(text);
    const parts = parseParts(bytes, (from, to) => bytes.toString('utf8', from, to), JSON.parse, size);
    for (;;) {
      const { done, value } = parts.next();
      if (done === true) return value;
    }
  };
  const compare = (text: string, size = 0): void => {
    const expected = refuse(() => JSON.parse(text));
    const found = refuse(() => parseAll(text, size));
    if (found !== expected) expect.fail(`${text} in parts of ${size}: ${found} in place of ${expected}`);
  };

  it('is what JSON.parse returns, and malformed where that throws, for all texts of five tokens', () => {
    const extend = (text: string, left: number): void => {
      compare(text);
      if (left > 0) for (const token of TOKENS) extend(text + token, left - 1);
    };
    extend('', 5);
  });

  it('is so for parts of any size, and wherever a token is missing, added or another one', () => {
    const text =
      '[{"a":[1,[2,{"b":"x,]}\\"","c":{}}],3],"d,":{"e":[[],[[4,5],{"a":6,"b":7,"a":8}]],"f":null}} ,"ä",[{},{"g":-1.5e3}, 9 ]]';
    const tokens = text.match(/"(?:\\.|[^"])*"|-?[0-9.e]+|null|./g) ?? [];
    for (const size of [0, 1, 3, 10, 30]) {
      compare(text, size);
      for (let at = 0; at <= tokens.length; at++) {
        const [start, end] = [tokens.slice(0, at).join(''), tokens.slice(at + 1).join('')];
        compare(start + end, size);
        for (const token of TOKENS) {
          compare(start + token + end, size);
          compare(start + token + (tokens[at] ?? '') + end, size);
        }
      }
    }
  });

  it('has no name that changes the prototype, in whichever part it is', () => {
    for (const text of [
      '{"__proto__":{"a":1,"b":2}}',
      '{"a":1,"__proto__":{"a":1},"b":2}',
      '[1,{"constructor":[1,2]}]',
    ])
      for (const size of [0, 3, 99]) {
        const isWhole = 8 * size > text.length;
        expect(
          refuse(() => parseAll(text, size)),
          text,
        ).to.equal(isWhole ? text : 'refused');
      }
  });

  it('may have a text longer than a part, which a quote or an escape ends at any place', () => {
    for (let more = 0; more < 4; more++)
      for (const end of ['"', '\\\\"', '\\"x"', '\\u0041"'])
        for (const text of ['x', '\\n'].map((unit) => `["${unit.repeat(131_070)}${'y'.repeat(more)}${end},1]`))
          compare(text, 1);
  });

  it('is parsed once, in parts of about the same size', () => {
    const text = JSON.stringify({
      data: { rows: Array.from({ length: 500 }, (_, n) => ({ n, text: 'x'.repeat(80) })) },
    });
    const bytes = Buffer.from(text);
    const lengths: number[] = [];
    const parse = (part: string): unknown => (lengths.push(part.length), JSON.parse(part));
    const parts = parseParts(bytes, (from, to) => bytes.toString('utf8', from, to), parse, 4096);
    let result = parts.next();
    while (result.done !== true) result = parts.next();
    expect(JSON.stringify(result.value)).to.equal(text);
    expect(Math.max(...lengths)).to.be.within(4000, 4400);
    expect(lengths.reduce((sum, length) => sum + length)).to.be.within(text.length - 100, text.length + 500);
  });
});
