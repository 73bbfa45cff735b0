/** Bounds on the length of text: characters are code points, and half of one counts as one. */
import { expect } from 'chai';
import { createLengthCheck } from '../../../plugins/validation-types/shared/length.js';

const fits = (text: string, length: number): boolean =>
  createLengthCheck({ min_length: length, max_length: length })?.isOutside(text) === false;

describe('length of text', () => {
  for (const [title, text, length] of [
    ['letters', 'abc', 3],
    ['characters of two units', '😀😀', 2],
    ['a single first half', 'a\ud83d', 2],
    ['a single second half', 'a\ude00', 2],
    ['two second halves', '\ude00\ude00', 2],
    ['two first halves', '\ud83d\ud83d', 2],
    ['a first half before a character', '\ud83d😀', 2],
    ['nothing', '', 0],
  ] as const)
    it(`counts ${title}`, () => {
      expect(fits(text, length)).to.equal(true);
      expect(fits(text, length + 1)).to.equal(false);
      if (length > 0) expect(fits(text, length - 1)).to.equal(false);
    });

  it('has no bounds if a rule names none', () => {
    expect(createLengthCheck({ items_min_length: 3 })).to.equal(null);
    expect(createLengthCheck({ items_min_length: 3 }, 'items_')?.isOutside('ab')).to.equal(true);
  });
});
