/**
 * What authors get wrong, one thing at a time: it is said where it stands, mostly with a fix that leaves nothing to say, and no fix
 * makes it worse. The tables say of each which code it is; `database` marks what only a database knows, `unsaid` what nobody says yet.
 */
import { expect } from 'chai';
import {
  applicationOf,
  judge,
  mistakeSets,
  mistakesIn,
  type Mistake,
  type Verdict,
} from '../support/author-mistakes.js';

const UNSAID = /^(database|unsaid)$/;
const judged: (readonly [Mistake, Verdict])[] = [];

/** As the table has it. */
function shown({ code, before, after }: Mistake, { there, mended }: Verdict): string {
  const found = there.includes(code) ? code : there.length === 0 ? 'unsaid' : [...new Set(there)].join(', ');
  return `${before} => ${after} :: ${found}${mended ? ' fix' : ''}`;
}

describe('mistakes of authors', () => {
  for (const set of mistakeSets()) {
    it(`${set}: each is said where it stands`, () => {
      const application = applicationOf(set);
      const found = mistakesIn(set).map((mistake) => [mistake, judge(application, mistake)] as const);
      judged.push(...found);
      const wanted = ({ code, before, after, mends }: Mistake): string =>
        `${before} => ${after} :: ${UNSAID.test(code) ? 'unsaid' : code}${mends ? ' fix' : ''}`;
      expect(found.map(([mistake, verdict]) => shown(mistake, verdict))).to.deep.equal(
        found.map(([mistake]) => wanted(mistake)),
      );
    });
  }

  it('most are said, most of them with a fix that works, and no fix adds a problem', () => {
    expect(judged.flatMap(([, { misleading }]) => misleading)).to.deep.equal([]);
    const rows = judged.filter(([{ code }]) => code !== 'database');
    const said = rows.filter(([{ code }, { there }]) => there.includes(code)).length / rows.length;
    const mended = rows.filter(([, verdict]) => verdict.mended).length / rows.length;
    expect(rows.length).to.be.at.least(150);
    expect(said).to.be.at.least(0.95);
    expect(mended).to.be.at.least(0.8);
  });
});
