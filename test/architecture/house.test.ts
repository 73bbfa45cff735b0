/**
 * The layout in figures. Every bound is the current value of the tree. A change that improves a figure lowers its
 * bound.
 */
import { expect } from 'chai';
import { posix } from 'node:path';
import { kinds } from '../../plugins/index.kinds.js';
import { loadSources, type Source } from '../support/sources.js';

const KERNEL_LINES = 4468;
const CIRCLES = 0;
const SMALL_FILES = 136;
const WEAK_MAPS = 23;
const CASTS = 7;

const sources = loadSources('contract', 'language', 'kernel', 'cli', 'plugins', 'language-server', 'extension/src');
const byPath = new Map(sources.map((source) => [source.path, source]));
/** Static imports; a dynamic one is the way to break a circle. */
const targets = new Map(
  sources.map(({ path, text }): [string, readonly string[]] => {
    const found = [...text.matchAll(/\bfrom\s+'(\.[^']+)\.js'/g)].map(([, file = '']) =>
      posix.join(posix.dirname(path), `${file}.ts`),
    );
    return [path, found.filter((target) => byPath.has(target))];
  }),
);

const countLines = (all: readonly Source[]): number => all.reduce((sum, { text }) => sum + text.split('\n').length, 0);
const countMatches = (pattern: RegExp): number =>
  sources.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);

const listFolders = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, count, parts) => parts.slice(0, count + 1).join('/'));

/** Strongly connected components of more than one file (Tarjan, 1972). */
function findCircles(): string[][] {
  const circles: string[][] = [];
  const numbers = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (path: string): void => {
    numbers.set(path, numbers.size);
    low.set(path, numbers.size - 1);
    stack.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!numbers.has(target)) visit(target);
      if (stack.includes(target)) low.set(path, Math.min(low.get(path) ?? 0, low.get(target) ?? 0));
    }
    if (low.get(path) !== numbers.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    if (circle.length > 1) circles.push(circle);
  };
  for (const { path } of sources) if (!numbers.has(path)) visit(path);
  return circles;
}

describe('architecture: layout rules', () => {
  it('limit the size of the kernel', () => {
    const kernel = sources.filter(({ path }) => path.startsWith('kernel/'));
    expect(countLines(kernel), 'lines of the kernel; goal 4,500').to.be.within(1000, KERNEL_LINES);
  });

  it('require the tests of a folder in the folder of the same name', () => {
    const folders = new Set(sources.flatMap(({ path }) => listFolders(path)));
    const strays = loadSources('test/contract', 'test/language', 'test/kernel', 'test/plugins', 'test/cli')
      .map(({ path }) => path)
      .filter((path) => !folders.has(posix.dirname(path).replace(/^test\//, '')));
    expect(strays).to.deep.equal([]);
  });

  it('require typed members for facts of plugins, which a kind declares with the same type', () => {
    expect(countMatches(/[fF]acts(?:\([^\n]*\))?\??\.?\['/g), 'facts that are read by an untyped name').to.equal(0);
    const declared = kinds.flatMap(({ facts }) => Object.entries(facts));
    const members = [...(byPath.get('contract/facts.ts')?.text ?? '').matchAll(/readonly (\w+)\?: ([^;]+);/g)];
    expect(members.length).to.be.greaterThan(30);
    for (const [, name = '', type = ''] of members) {
      const specs = declared.filter(([key]) => key === name).map(([, fact]) => fact);
      expect(
        specs.map(({ type: one }) => one === 'list'),
        name,
      ).to.include(type.endsWith('[]'));
      const base = /^(number|boolean)$/.test(type) ? type : type.endsWith('[]') ? 'list' : 'string';
      expect(new Set(specs.map((one) => one.type)), name).to.deep.equal(new Set([base]));
    }
  });

  it('require a call to read the time, because `lintel test` replaces the function', () => {
    const kept = sources.flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => /\b(?:Date|performance)\.now\b(?!\()/.test(line.replace(/^\s*\*.*|\/[/*].*/, '')))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(kept.filter((line) => !line.startsWith('cli/test/time.ts'))).to.deep.equal([]);
  });

  it('allow no circular import across folders', () => {
    const circles = findCircles();
    const folder = (path: string): string => path.split('/').slice(0, -1).slice(0, 2).join('/');
    expect(circles.filter((circle) => new Set(circle.map(folder)).size > 1)).to.deep.equal([]);
    expect(circles.length, 'circles inside a folder; goal 0').to.be.at.most(CIRCLES);
  });

  it('limit files with one importer, hidden states and casts', () => {
    const importers = new Map<string, number>();
    for (const all of targets.values())
      for (const target of new Set(all)) importers.set(target, (importers.get(target) ?? 0) + 1);
    const small = sources.filter(({ path, text }) => importers.get(path) === 1 && text.split('\n').length < 60);
    expect(small.length, 'files under 60 lines with one importer').to.be.at.most(SMALL_FILES);
    expect(countMatches(/new WeakMap\b/g), 'WeakMaps').to.be.at.most(WEAK_MAPS);
    expect(countMatches(/\bas unknown as\b/g), 'casts through unknown; goal 10').to.be.at.most(CASTS);
  });
});
