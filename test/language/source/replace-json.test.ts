/** Replacement of one value in a JSON text with comments: equal parts keep their text. */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import { createDocument } from '../../../language/source/document.js';
import { replaceJson } from '../../../language/source/replace-json.js';
import { toJson } from '../../../language/source/tree.js';
import { parseSource } from '../../../language/source/parse.js';

describe('replaced value', () => {
  const LONG = 'x'.repeat(90);
  const VALUES: readonly (readonly [before: string, value: Json, after: string])[] = [
    ['{"v": true}', { a: 1, b: [] }, '{"v": { "a": 1, "b": [] }}'],
    ['{"v": {"a":1 /* c */, "b":2}}', { a: 3, c: 2 }, '{"v": {"a":3 /* c */, "c": 2}}'],
    [
      '{\n  "v": {\n    "a": 1, // one\n    "b": 2 // two\n  }\n}',
      { a: 1 },
      '{\n  "v": {\n    "a": 1 // one\n     // two\n  }\n}',
    ],
    ['{"v": [1, 2, {"a": 1}]}', [1], '{"v": [1]}'],
    ['{"v": [1 /* c */]}', [1, 2, 3], '{"v": [1, 2, 3 /* c */]}'],
    ['{"v": {"a": {"b": null}}}', { a: { b: [] } }, '{"v": {"a": {"b": []}}}'],
    ['{\n\t"v": true\n}', { a: LONG, b: [1] }, `{\n\t"v": {\n\t\t"a": "${LONG}",\n\t\t"b": [1]\n\t}\n}`],
    ['{\r\n  "v": {\r\n    "a": 1\r\n  }\r\n}', { b: 1 }, '{\r\n  "v": {\r\n    "b": 1\r\n  }\r\n}'],
    ['{"v": 1}', -0, '{"v": 0}'],
    ['{"v": 1}', 1, '{"v": 1}'],
  ];
  for (const [before, value, after] of VALUES) {
    it(`${JSON.stringify(before)}: ${JSON.stringify(value)}`, () => {
      const made = replaceJson(createDocument('a.json', before), '/v', value);
      const { root } = parseSource(createDocument('a.json', made));
      expect(root && toJson(root)).to.deep.equal({ v: JSON.parse(JSON.stringify(value)) as Json });
      expect(made).to.equal(after);
    });
  }

  it('requires an existing value', () => {
    expect(() => replaceJson(createDocument('a.json', '{}'), '/v', 1)).to.throw('a.json has no value at /v');
  });
});
