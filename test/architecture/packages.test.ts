/**
 * Every package is named with its reason in docs/decisions.md, and is used: a dependency that nobody needs is one more
 * thing to install and to trust.
 */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/project.js';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
const { inlinedDependencies, bin, exports } = JSON.parse(read('package.json')) as {
  readonly inlinedDependencies: readonly string[];
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
};
const table = [...read('docs/decisions.md').matchAll(/^\| `([^`]+)` +\| (.*)\|$/gm)].map(([, name = '', why = '']) => ({
  name,
  why: why.trim(),
}));
const row = (name: string): string => (name.startsWith('@types/') ? '@types/*' : name);

/** Command lines and types: nothing imports them. */
const TOOLS = /^(@types\/.*|oxlint|oxlint-tsgolint)$/;

const sources = [
  'contract',
  'language',
  'kernel',
  'cli',
  'language-server',
  'plugins',
  'extension',
  'test',
  'bench',
  '.',
]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => /\.(ts|js)$/.test(name) && !/node_modules|extension.dist/.test(name))
  .map(read);
const isImported = (name: string): boolean =>
  sources.some((text) => text.includes(`'${name}'`) || text.includes(`'${name}/`));

describe('architecture: packages', () => {
  it('have a line of reason each, in order, and no others have one', () => {
    const ofUse = Object.keys(dependencies ?? {}).sort();
    const ofDevelopment = [...new Set(Object.keys(devDependencies ?? {}).map(row))].sort();
    expect(table.map(({ name }) => name)).to.deep.equal([...ofUse, ...ofDevelopment]);
    for (const { name, why } of table) expect(why, name).not.to.equal('');
  });

  it('are imported somewhere', () => {
    const all = [...Object.keys(dependencies ?? {}), ...Object.keys(devDependencies ?? {})];
    expect(all.filter((name) => !TOOLS.test(name) && !isImported(name))).to.deep.equal([]);
  });

  it('that the bundle inlines have their licences in it, and no others are inlined', () => {
    const licences = read('dist/bundle/LICENSES.txt');
    for (const name of inlinedDependencies) expect(licences).to.match(new RegExp(`^${name} \\d`, 'm'));
    const outside = Object.keys(dependencies ?? {}).filter((name) => !inlinedDependencies.includes(name));
    expect(outside.filter((name) => new RegExp(`^${name} \\d`, 'm').test(licences))).to.deep.equal([]);
  });

  it('has one copy of its modules, whichever entry point is imported', () => {
    const files = [...Object.values(bin), ...Object.values(exports).map((entry) => entry['default'] ?? '')];
    expect(files.every((file) => file.startsWith('./dist/bundle/') || file.startsWith('dist/bundle/'))).to.equal(true);
    const texts = readdirSync(join(ROOT, 'dist/bundle')).map((name) => read(`dist/bundle/${name}`));
    for (const name of ['Fault', 'FinalResult', 'RawJson'])
      expect(
        texts.filter((text) => new RegExp(`class ${name}\\b|\\b${name}=class\\b`).test(text)),
        name,
      ).to.have.lengthOf(1);
  });
});
