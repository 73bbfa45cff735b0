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
});
