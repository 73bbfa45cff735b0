/**
 * Mistakes of authors, one at a time: each is reported at its position, mostly with a fix that leaves no problem, and
 * no fix adds one. The tables contain the code of each; `database` marks what only a database reports, `unsaid` what is
 * not reported yet.
 */
import { expect } from 'chai';
import { sampleCases } from '../support/sample.js';
import {
  loadApplication,
  checkMistake,
  listMistakeSets,
  readMistakes,
  type Mistake,
  type MistakeReport,
} from '../support/author-mistakes.js';

const UNSAID = /^(database|unsaid)$/;

/** As the table has it. */
function formatMistake({ code, before, after }: Mistake, { codesAtMistake, isFixed }: MistakeReport): string {
  const found = codesAtMistake.includes(code)
    ? code
    : codesAtMistake.length === 0
      ? 'unsaid'
      : [...new Set(codesAtMistake)].join(', ');
  return `${before} => ${after} :: ${found}${isFixed ? ' fix' : ''}`;
}

const wanted = ({ code, before, after, isFixable }: Mistake): string =>
  `${before} => ${after} :: ${UNSAID.test(code) ? 'unsaid' : code}${isFixable ? ' fix' : ''}`;

describe('author mistakes', () => {
  for (const set of listMistakeSets()) {
    it(`${set}: are each reported at their position, and no fix is wrong`, () => {
      const application = loadApplication(set);
      const found = sampleCases('edits', set, readMistakes(set), 16).map(
        (mistake) => [mistake, checkMistake(application, mistake)] as const,
      );
      expect(found.map(([mistake, report]) => formatMistake(mistake, report))).to.deep.equal(
        found.map(([mistake]) => wanted(mistake)),
      );
      expect(found.flatMap(([, { misleading }]) => misleading)).to.deep.equal([]);
    });
  }

  it('are reported in 95 of 100 cases, and fixed in 80', () => {
    const rows = listMistakeSets()
      .flatMap(readMistakes)
      .filter(({ code }) => code !== 'database');
    expect(rows.length).to.be.at.least(150);
    expect(rows.filter(({ code }) => code !== 'unsaid').length / rows.length).to.be.at.least(0.95);
    expect(rows.filter(({ isFixable }) => isFixable).length / rows.length).to.be.at.least(0.8);
  });
});
