/**
 * The promises of docs/security.md and docs/failures.md name tests that exist, and every class of bugs has its test.
 */
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUG_CLASSES } from '../support/bug-classes.js';
import { ROOT } from '../support/project.js';
import { NO_SHARED, skipTest } from '../support/skip.js';
import { loadSources } from '../support/sources.js';

/** Patterns built from parts, and the parts: constants or numbers. All others use the linear matcher. */
const MADE: Readonly<Record<string, string>> = {
  'language/strings/linear-pattern.ts': 'one sign at a time',
  'language/strings/exact-json.ts': 'a constant',
  'plugins/queries/sql/text/types.ts': 'constants',
  'plugins/queries/sql/language.light.ts': 'the number of a parameter',
  'language/analysis/conceal-pattern.ts': 'facts of plugins that run',
  'plugins/storages/shared/key.light.ts': 'constants',
  'plugins/queues/redis/connection.ts': 'names of settings',
  'plugins/hashers/argon2/argon2.ts': 'constants',
  'plugins/queries/sql/blind.ts': 'a constant',
  'extension/src/file-names.ts': 'a constant',
  'extension/src/globs.ts': 'constants',
};

const page = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');
const splitCells = (row: string): string[] => row.split('|').slice(1, -1);
/** Rows of a table below its head, by the head of its last column. */
function listRows(text: string, column: string): string[][] {
  const lines = text.split('\n');
  const begin = lines.findIndex((line) => line.startsWith('|') && splitCells(line).at(-1)?.includes(column));
  expect(begin, column).to.be.greaterThan(-1);
  const end = lines.findIndex((line, at) => at > begin && !line.startsWith('|'));
  return lines.slice(begin + 2, end === -1 ? undefined : end).map(splitCells);
}
/** `CVE-2026-1, -2` is two of one year, `CVE-2023-1 -> -2026-2` of two. */
function listAdvisories(text: string): string[] {
  let year = '';
  const found = [...text.matchAll(/\bGHSA(?:-\w{4}){3}|(?:CVE-(\d{4})|(?<!\w)(?:-(\d{4}))?)-(\d{4,6})\b/g)];
  const ids = found.map(([whole, own, other, number = '']) => {
    year = own ?? other ?? year;
    return number === '' ? whole : `CVE-${year}-${number}`;
  });
  return ids.sort();
}
const isTest = (name: string): boolean =>
  [`${name}.test.ts`, `${name}.ts`].some((file) => existsSync(join(ROOT, 'test', file)));

describe('architecture: security and failures', () => {
  for (const file of ['security.md', 'failures.md'])
    it(`have a test for each promise of ${file}`, () => {
      const rows = listRows(page(file), 'shown by');
      expect(rows.length).to.be.greaterThan(20);
      for (const [promise = '', ...others] of rows) {
        const named = [...(others.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
        expect(named, promise).not.to.deep.equal([]);
        expect(
          named.filter((name) => !isTest(name)),
          promise,
        ).to.deep.equal([]);
      }
    });

  it('have one test for each of the 28 classes of bugs, with its advisories', () => {
    const named = listRows(page('security.md'), 'advisories').map((cells) => cells.map((cell) => cell.trim()));
    const known = Object.entries(BUG_CLASSES).map(([number, { title, ids }]) => [number, title, ids.join(', ')]);
    expect(known).to.have.length(28);
    expect(named).to.deep.equal(known);
    const tests = ['bug-classes', 'bug-classes-more'].map((name) =>
      readFileSync(join(ROOT, 'test', 'e2e', `${name}.test.ts`), 'utf8'),
    );
    const attacked = [...tests.join('\n').matchAll(/^ {2}testBugClass\((\d+), async/gm)].map(([, number]) => number);
    expect(attacked).to.deep.equal(known.map(([number]) => number));
  });

  it('create patterns from file texts only in the linear-time matcher', () => {
    const found = loadSources(
      'contract',
      'language',
      'kernel',
      'cli',
      'plugins',
      'language-server',
      'extension/src',
    ).filter(({ text }) => /\bRegExp\(/.test(text));
    expect(found.map(({ path }) => path).sort()).to.deep.equal(Object.keys(MADE).sort());
  });

  it('list the classes and advisories of the design', function () {
    const design = join(ROOT, '..', 'shared', 'design', 'reliability.md');
    if (!existsSync(design)) return skipTest(this, NO_SHARED);
    const [, section = ''] = readFileSync(design, 'utf8').split(/^## 7\. .*$/m);
    const rows = [...section.matchAll(/^\| (\d+) \| ([^|]+?) \| ([^|]+?) \|/gm)];
    expect(
      rows.slice(0, 28).map(([, number, title, seen = '']) => [number, title, listAdvisories(seen)]),
    ).to.deep.equal(Object.entries(BUG_CLASSES).map(([number, { title, ids }]) => [number, title, [...ids].sort()]));
  });
});
