/**
 * The mutation check itself: what it changes and leaves unchanged, which mutants a seed selects, and which tests it
 * runs for one.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createEquivalents, readEquivalents } from '../mutation/equivalents.js';
import { drawMutations, listMutations } from '../mutation/generate.js';
import { decodeMappings, formatLines, parseLines } from '../mutation/lines.js';
import type { Mutation, MutationKind } from '../mutation/mutation.js';
import { matchesGlob, readOptions } from '../mutation/options.js';
import { createFinder } from '../mutation/related.js';
import { formatSummary, type MutantResult, type Outcome } from '../mutation/results.js';
import { selectTestFiles } from '../mutation/test-files.js';
import { listFiles } from '../runner/files.js';
import { ROOT } from '../support/project.js';

const FILE = 'kernel/http/sample.ts';
const changes = (text: string, kind: MutationKind, file = FILE): string[] =>
  listMutations(file, text)
    .filter((mutation) => mutation.kind === kind)
    .map(({ after }) => after);

/** One line of each kind, and every line that it becomes. */
const EXAMPLES: readonly (readonly [MutationKind, string, readonly string[]])[] = [
  ['compare', 'const x = a < b;', ['const x = a <= b;']],
  ['compare', 'const x = a >= b;', ['const x = a > b;']],
  ['compare', 'const x = a === b;', ['const x = a !== b;']],
  ['logic', 'const x = a && b;', ['const x = a || b;', 'const x = a;', 'const x = b;']],
  ['logic', 'const x = a ?? b;', ['const x = a;']],
  ['guard', 'if (a) return;', ['if (false) return;', 'if (true) return;']],
  ['guard', 'if (a) throw b;', ['if (false) throw b;', 'if (true) throw b;']],
  ['condition', 'if (a) b = c;', ['if (false) b = c;', 'if (true) b = c;']],
  ['condition', 'const x = a ? b : c;', ['const x = false ? b : c;', 'const x = true ? b : c;']],
  ['condition', 'while (a) b++;', ['while (false) b++;']],
  ['negation', 'const x = !a;', ['const x = a;']],
  ['await', 'await save(a);', ['save(a);']],
  ['call', 'release(a);', ['{}']],
  ['call', 'await save(a);', ['{}']],
  ['call', 'release(\n  a,\n);', ['if (false) release(']],
  ['throw', 'throw a;', ['{}']],
  ['return', 'const f = () => { return; };', ['const f = () => { {} };']],
  ['number', 'const x = 7;', ['const x = 8;', 'const x = 6;']],
  ['number', 'const x = 60_000;', ['const x = 30000;']],
  ['number', 'const x = a[0];', []],
  ['number', 'const x = { key: -1 };', ['const x = { key: 1 };']],
  ['number', 'const x = { order: 5 };', ['const x = { order: -5 };']],
  ['string', `const x = a === 'b';`, [`const x = a === '';`]],
  ['string', `const x = 'b';`, []],
  ['pattern', 'const x = /^a$/i;', ['const x = /a$/i;', 'const x = /^a/i;', 'const x = /^a$/;']],
  ['arithmetic', 'const x = a + b;', ['const x = a - b;']],
  ['arithmetic', "const x = a + 'b';", []],
  ['arithmetic', 'x -= a;', ['x += a;']],
  ['math', 'const x = Math.min(a, b);', ['const x = Math.max(a, b);']],
  ['slice', 'const x = a.slice(b, c);', ['const x = a.slice(b + 1, c);', 'const x = a.slice(b, c + 1);']],
  ['member', 'const x = [a, b];', ['const x = [ b];', 'const x = [a];']],
  ['member', 'const x = {\n  a: 1,\n  b,\n};', ['', '']],
  ['boolean', 'const x = true;', ['const x = false;']],
  ['chain', 'const x = a.trim().length;', ['const x = a.length;']],
  ['statement', "const x = 'SELECT a FROM b WHERE c <= d';", ["const x = 'SELECT a FROM b WHERE c < d';"]],
  ['statement', 'const x = `UPDATE a SET b WHERE ${c} AND d`;', ['const x = `UPDATE a SET b WHERE ${c} OR d`;']],
];

/** Lines of messages only. */
const UNTOUCHED: readonly string[] = [
  'type A = { b: 1 | 2; c: true };',
  'interface A { b: 1 }',
  "import a from 'b';",
  '// if (a === 1) return;',
  "log.warn({ a: 1 === 1 }, 'b');",
  "const x = fault('A', { max: 1 });",
  'const x = { doc: a ? 1 : 2, examples: [1, 2] };'.replace('const x = ', 'void '),
];

const sample = (name: string): Mutation[] =>
  listMutations(name, Array.from({ length: 20 }, (_, i) => `if (a${i} < ${i + 5}) await b(${i} + c);`).join('\n'));

const result = (outcome: Outcome): MutantResult => {
  const [first] = sample(FILE);
  return { ...first!, outcome, tests: [], isCut: false, test: null, message: null, ms: 1 };
};

describe('architecture: mutation check', () => {
  for (const [kind, text, expected] of EXAMPLES) {
    it(`${kind}: ${text.replaceAll('\n', ' ')}`, () => {
      expect(changes(text, kind)).to.deep.equal(expected);
    });
  }

  it('leaves types, comments, messages and documentation unchanged', () => {
    for (const text of UNTOUCHED)
      expect(
        listMutations(FILE, text).map(({ after }) => after),
        text,
      ).to.deep.equal([]);
  });

  it('changes exactly the range that it names, on one line', () => {
    const text = 'const a = 1;\nif (b) {\n  c(); // d\n}\n';
    const found = listMutations(FILE, text).find(({ kind }) => kind === 'call');
    expect(found).to.include({ line: 3, column: 3, before: 'c(); // d', after: '{} // d' });
    expect(text.slice(found!.start, found!.end)).to.equal('c();');
  });

  it('selects the same mutants for the same seed, others for another', () => {
    const all = [...sample('kernel/a.ts'), ...sample('plugins/b.ts')];
    const draw = (seed: number): string[] => [...drawMutations(all, seed)].map(({ id }) => id);
    expect(draw(7)).to.deep.equal(draw(7));
    expect(draw(7)).not.to.deep.equal(draw(8));
  });

  it('selects at most three of a file and one of a line', () => {
    const drawn = [...drawMutations([...sample('kernel/a.ts'), ...sample('plugins/b.ts')], 1)];
    expect(drawn.map(({ file }) => file).sort()).to.deep.equal([
      ...['kernel/a.ts', 'kernel/a.ts', 'kernel/a.ts'],
      ...['plugins/b.ts', 'plugins/b.ts', 'plugins/b.ts'],
    ]);
    expect(new Set(drawn.map(({ file, line }) => `${file}:${line}`)).size).to.equal(6);
  });

  it('replaces a rejected mutant by the next, and keeps the others', () => {
    const all = sample('kernel/a.ts');
    const [first, second, third] = [...drawMutations(all, 3)];
    const draw = drawMutations(all, 3);
    expect(draw.next().value).to.equal(first);
    const rest = [draw.next(false).value, draw.next(true).value];
    expect(rest).to.include.members([second].filter((mutation) => mutation?.line !== first?.line));
    expect([first, second, third]).to.have.length(3);
  });

  it('prefers mutants with greater impact', () => {
    const all = Array.from({ length: 12 }, (_, i) => [
      ...sample(`plugins/tokens/shared/a${i}.ts`),
      ...sample(`language-server/a${i}.ts`),
    ]).flat();
    const draw = drawMutations(all, 1);
    const drawn = Array.from({ length: 12 }, () => draw.next(true).value as Mutation);
    const harmful = drawn.filter(({ file }) => file.startsWith('plugins/')).length;
    expect(harmful).to.be.greaterThan(7);
  });

  it('finds an equivalent by its text, and reports an outdated one', () => {
    const all = listMutations(FILE, 'const x = a < b;');
    const entry = { file: FILE, before: 'const x = a < b;', after: 'const x = a <= b;', reason: 'a is never b.' };
    const gone = { ...entry, before: 'const x = a < c;' };
    const equivalents = createEquivalents([entry, gone], all);
    expect(all.map(equivalents.has)).to.deep.equal([true]);
    expect(equivalents.stale).to.deep.equal([gone]);
  });

  it('leaves out test files that exist', () => {
    const paths = listFiles().map((path) => relative(ROOT, path));
    const selected = selectTestFiles(paths);
    expect(selected.length).to.be.within(paths.length - 40, paths.length - 20);
    expect(() => selectTestFiles(['dist/test/e2e/speed.test.js'])).to.throw('No test file is named "package"');
  });

  it('has only equivalents that are mutations of the sources, with a reason', () => {
    const entries = readEquivalents(ROOT);
    const files = [...new Set(entries.map(({ file }) => file))];
    const all = files.flatMap((file) => listMutations(file, readFileSync(join(ROOT, file), 'utf8')));
    expect(createEquivalents(entries, all).stale).to.deep.equal([]);
    for (const { before, reason } of entries) expect(reason, before).to.match(/^[A-Z`$].+\.$/);
  });

  it('runs the test files that execute the line, the most specific first, within the budget', () => {
    const file = (path: string, ms: number, run: Record<string, string>, rest: object = {}) => ({
      ...{ path, ms, run, load: { [FILE]: '1-3' }, hash: '', problem: null, longestMs: ms },
      ...{ imports: new Set([FILE]), ...rest },
    });
    const find = createFinder([
      file('broad', 1000, { [FILE]: '5-9', 'kernel/other.ts': '1-500' }),
      file('narrow', 1000, { [FILE]: '5-9' }),
      file('second', 1500, { [FILE]: '5-9' }),
      file('failing', 1000, { [FILE]: '5-9' }, { problem: 'it fails' }),
      file('other', 1000, { [FILE]: '20' }),
      file('slow', 90_000, { [FILE]: '5-9,30' }),
    ]);
    const paths = (line: number, budget = 60_000) => {
      const { files, isCut } = find({ file: FILE, line }, budget);
      return [...files.map(({ path }) => path), ...(isCut ? ['(cut)'] : [])];
    };
    expect(paths(5)).to.deep.equal(['narrow', 'second', 'broad']);
    expect(paths(5, 1000)).to.deep.equal(['narrow', '(cut)']);
    expect(paths(30)).to.deep.equal(['slow']);
    expect(paths(2), 'executed when the module is loaded').to.include.members(['narrow', 'other']);
    expect(paths(40)).to.deep.equal([]);
  });

  it('writes lines as ranges and reads source maps', () => {
    expect(formatLines([9, 3, 4, 5])).to.equal('3-5,9');
    expect([...parseLines('3-5,9')]).to.deep.equal([3, 4, 5, 9]);
    expect(decodeMappings('AAAA;EAEI,IAAI', [0, 10])).to.deep.equal([
      { offset: 0, line: 1 },
      { offset: 12, line: 3 },
      { offset: 16, line: 3 },
    ]);
  });

  it('reads the command line', () => {
    expect(readOptions(['--count', '5', '--only', 'a,b'])).to.include({ count: 5, seed: 1, budgetMs: 60_000 });
    expect(() => readOptions(['--count', 'many'])).to.throw('--count');
    expect(
      ['plugins/queues/a/b.ts', 'plugins/caches/a.ts'].map((path) => matchesGlob(path, 'plugins/queues/**')),
    ).to.deep.equal([true, false]);
    expect(matchesGlob('kernel/http/body.ts', 'kernel/*.ts')).to.equal(false);
    const some = ['kernel/a', 'e2e/b', 'e2e/c'].filter((path) => matchesGlob(path, 'kernel/*,e2e/b'));
    expect(some).to.deep.equal(['kernel/a', 'e2e/b']);
  });

  it('ends with a machine-readable line that does not count equivalents', () => {
    const outcomes: Outcome[] = ['killed', 'killed', 'timeout', 'survived', 'uncovered', 'equivalent'];
    const lines = formatSummary(outcomes.map(result)).split('\n');
    expect(lines.at(-1)).to.equal('3 killed, 2 survived, 1 equivalent (60.0 %)');
    expect(lines.filter((line) => line.startsWith('survived') || line.startsWith('uncovered'))).to.have.length(2);
  });
});
