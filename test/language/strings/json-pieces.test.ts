/** Pieces of JSON text: together they are what JSON.stringify writes. */
import { expect } from 'chai';
import { hasLongList, writeJsonPieces } from '../../../language/strings/json-pieces.js';

const list = Array.from({ length: 1250 }, (_, n) => ({ n, text: `"${n}"`, gap: n % 3 === 0 ? undefined : null }));

describe('JSON in pieces', () => {
  for (const [title, value, pieces] of [
    ['a long list', list, 14],
    ['a list of odd values', [...list, undefined, [], null, new Date(0)], 14],
    ['an object around one', { a: 1, gone: undefined, call: () => 1, rows: list, 'b"': [1] }, 18],
    ['nothing', undefined, 1],
    ['a short list', [1, 2], 1],
  ] as const)
    it(`${title}: the same text`, () => {
      const texts = [...writeJsonPieces(value)];
      expect(texts.join('')).to.equal(JSON.stringify(value ?? null));
      expect([texts.length, hasLongList(value)]).to.deep.equal([pieces, pieces > 1]);
    });

  it('of an object with its own text are one', () => {
    expect([...writeJsonPieces({ toJSON: () => 1, rows: list })]).to.deep.equal(['1']);
  });
});
