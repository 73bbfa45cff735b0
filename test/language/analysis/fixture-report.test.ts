/** The report of a failed fixture: only the rows and places that differ. */
import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareWithFile, listDifferences } from '../../support/expected-file.js';

const row = (line: number, message: string): Record<string, string | number> => ({
  code: 'DEF_TYPE',
  file: 'a.json',
  line,
  message,
});

describe('diff of an expected fixture', () => {
  it('lists removed rows, new rows and changes within a row', () => {
    const [one, two, three] = [row(1, 'one'), row(2, 'two'), row(3, 'three')];
    expect(listDifferences([one, two, two], [one, two, three])).to.deep.equal([
      `- ${JSON.stringify(two)}`,
      `+ ${JSON.stringify(three)}`,
    ]);
    expect(listDifferences([one, two], [row(1, 'other'), two])).to.deep.equal([
      '  "DEF_TYPE" "a.json" 1',
      '  - /message: "one"',
      '  + /message: "other"',
    ]);
    expect(listDifferences([one, two], [two, one])).to.deep.equal(['the same rows in another order']);
  });

  it('lists the locations in an object', () => {
    expect(listDifferences({ a: { b: [1, 2] }, c: null }, { a: { b: [1, 3] }, d: [] })).to.deep.equal([
      '- /a/b/1: 2',
      '+ /a/b/1: 3',
      '- /c: null',
      '+ /d: []',
    ]);
  });

  it('prints the command that writes the file again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lintel-expected-'));
    try {
      const file = join(folder, 'a.json');
      const failure = () =>
        compareWithFile(file, [1], 'kernel/some').then(
          () => '',
          (error: unknown) => String(error),
        );
      expect(await failure()).to.match(/there is no such file\n.*UPDATE_FIXTURES=1 npm test -- kernel\/some$/);
      writeFileSync(file, '[2]');
      expect(await failure()).to.match(/:\n- 2\n\+ 1\nif that is right: UPDATE_FIXTURES=1 npm test -- kernel\/some$/);
      writeFileSync(file, '[1]');
      expect(await failure()).to.equal('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
