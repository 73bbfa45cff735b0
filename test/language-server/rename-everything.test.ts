/**
 * Every name of the sample and of all fixtures is renamed to one that nobody has: `lintel check` says as much afterwards as before,
 * the symbol has as many places, and the way back leads to what was there.
 */
import { expect } from 'chai';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { NamedSymbol } from '../../kernel/analysis/symbols.js';
import { analyse } from '../../kernel/analysis/analyse.js';
import { applyEdits } from '../../kernel/source/apply.js';
import { indexOf, placesOf } from '../../language-server/navigation/places.js';
import { refusal } from '../../language-server/navigation/refusals.js';
import { renaming, type Renaming } from '../../language-server/navigation/renaming.js';
import { openProject, type Project } from '../../language-server/project.js';
import { caseNames, DEFINITIONS, SQL } from '../support/fixtures.js';
import { ROOT } from '../support/project.js';

const FRESH: Readonly<Partial<Record<NamedSymbol['sort'], string>>> = { model: '_zzfresh', action: '9871' };

interface Tally {
  renamed: number;
  readonly refused: string[];
}

/** `every`: one name of so many is tried, others than the last time there were others. */
async function renameAll(project: Project, tally: Tally, every: number): Promise<void> {
  const before = soundness(project, null);
  for (const [i, symbol] of [...indexOf(project).symbols.values()].entries()) {
    const [place] = placesOf(project, symbol);
    if (i % every !== 0 || place === undefined || refusal(project, { symbol, place }, true) !== null) continue;
    const made = renaming(project, symbol, FRESH[symbol.sort] ?? 'zzfresh');
    const what = `${symbol.sort} ${symbol.name} of ${basename(project.folder)}`;
    if (typeof made === 'string') {
      tally.refused.push(`${what}: ${made}`);
      continue;
    }
    tally.renamed++;
    // What is not set is no problem of the definitions.
    if (symbol.sort !== 'environment') expect(more(before, soundness(project, made)), what).to.deep.equal([]);
    checkEdits(project, made, what);
  }
}

/** Codes of the problems as `lintel check` finds them, the texts changed or as they are. */
function soundness(project: Project, made: Renaming | null): string[] {
  const files = [...project.files].map(([name, { text }]) => ({
    file: project.shown(made?.moved?.from === name ? made.moved.to : name),
    text: applyEdits(text, made?.edits.get(name) ?? []),
  }));
  const { problems } = analyse(files, project.registry, { env: null, sql: SQL, given: project.snapshot().config });
  return problems.map(({ code }) => code).sort();
}

/** Codes that are there more often than before. */
function more(before: readonly string[], after: readonly string[]): string[] {
  const left = [...before];
  return after.filter((code) => {
    const i = left.indexOf(code);
    if (i !== -1) left.splice(i, 1);
    return i === -1;
  });
}

/** Each edit is on one line and replaces a name, its quotes and escapes included, and no more. */
function checkEdits(project: Project, { edits }: Renaming, what: string): void {
  for (const [name, list] of edits) {
    const text = project.textOf(name)?.split(/\r\n|\r|\n/) ?? [];
    for (const { range } of list) {
      expect(range.start.line, what).to.equal(range.end.line);
      const replaced = text[range.start.line]?.slice(range.start.character, range.end.character);
      if (project.textOf(name) === null) continue;
      // A piece of one string: quotes in it are escaped.
      expect(() => void JSON.parse(`"${replaced}"`), `${what}: ${replaced}`).not.to.throw();
    }
  }
}

describe('language server: every name renamed', function () {
  this.timeout(120_000);
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'lintel-rename-'))));
  after(() => rm(folder, { recursive: true, force: true }));

  it('keeps the sample as sound as it is', async () => {
    const tally: Tally = { renamed: 0, refused: [] };
    await renameAll(await openProject(ROOT, { trusted: () => false }).read, tally, 7);
    expect(tally.renamed).to.be.above(25);
    expect(tally.refused.length, tally.refused.join('\n')).to.be.below(tally.renamed / 4);
  });

  it('makes no fixture worse', async () => {
    const tally: Tally = { renamed: 0, refused: [] };
    for (const name of caseNames()) {
      const home = join(folder, name);
      await mkdir(home, { recursive: true });
      await cp(join(DEFINITIONS, name), join(home, 'definitions'), { recursive: true });
      await renameAll(await openProject(home, { trusted: () => false }).read, tally, 3);
    }
    expect(tally.renamed).to.be.above(200);
    expect(tally.refused.length, tally.refused.join('\n')).to.be.below(tally.renamed / 4);
  });
});
