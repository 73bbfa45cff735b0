/** Folders that definitions name for uploads. */
import { expect } from 'chai';
import { folderFlaw } from '../../plugins/modes/upload/folder.light.js';

const levels = (count: number): string => Array.from({ length: count }, (_, i) => `l${i}`).join('/');

describe('the folder of an upload', () => {
  it('has at most 16 levels of 60 characters', () => {
    expect(folderFlaw(levels(16))).to.equal(null);
    expect(folderFlaw(levels(17))).to.equal('it has more than 16 levels');
    expect(folderFlaw(`a/${'b'.repeat(60)}`)).to.equal(null);
    expect(folderFlaw(`a/${'b'.repeat(61)}`)).to.equal('a level is longer than 60 characters');
  });

  it('is relative and leads nowhere else', () => {
    for (const folder of ['', '/a', 'a/', 'a//b', '.', '..', 'a/../b', 'a/.', 'a b', 'ä', 'a\\b', 'a%2fb'])
      expect(folderFlaw(folder), folder).to.be.a('string');
    for (const folder of ['a', 'a/b_c-D9', '$TOKEN.id/a']) expect(folderFlaw(folder), folder).to.equal(null);
  });
});
