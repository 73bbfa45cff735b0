/**
 * Names of the sample and of the fixtures are renamed to unused ones: `lintel check` reports the same afterwards, and
 * every edit replaces a name only.
 */
import { expect } from 'chai';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { NamedSymbol } from '../../language/analysis/symbols.js';
import { isSharedKind } from '../../language/analysis/shared-names.js';
import { createAnalyser, type Analyser } from '../../language/analysis/analyse.js';
import { applyEdits } from '../../language/source/apply.js';
import { getSymbolIndex, findSymbolLocations } from '../../language-server/navigation/symbol-locations.js';
import { findRenameRejection } from '../../language-server/navigation/rename-checks.js';
import { planRename, type RenamePlan } from '../../language-server/navigation/rename-plan.js';
import { decodeJson } from '../../language-server/navigation/respell-name.js';
import { openProject, type Project } from '../../language-server/project.js';
import { listCaseNames, DEFINITIONS, SQL } from '../support/fixtures.js';
import { ROOT } from '../support/project.js';
import { countRuns, isDeep, sampleCases } from '../support/sample.js';

const FRESH: Readonly<Partial<Record<NamedSymbol['sort'], string>>> = { model: '_zzfresh', action: '9871' };

const SUPPORT = { moves: true, confirms: true };

/** A name that definitions share keeps its accessors. */
const getFreshName = ({ sort }: NamedSymbol, text: string): string =>
  isSharedKind(sort) ? `zzfresh ${decodeJson(text)}` : (FRESH[sort] ?? 'zzfresh');

interface Tally {
  renamed: number;
  readonly refused: string[];
}

/** Includes its statements, which the editor reads after the first diagnostics and before a rename. */
async function openWhole(folder: string): Promise<Project> {
  const project = await openProject(folder, { trusted: () => false }).loaded;
  await project.waitForParser();
  return project;
}

/** At most `count` of the names. */
async function renameSome(project: Project, tally: Tally, count: number): Promise<void> {
  const analyser = createAnalyser(project.registry);
  const before = soundness(project, analyser, null);
  const symbols = [...getSymbolIndex(project).symbols.values()];
  for (const symbol of sampleCases('editor', basename(project.folder), symbols, count)) {
    const [place] = findSymbolLocations(project, symbol);
    if (place === undefined || findRenameRejection(project, { symbol, place }, SUPPORT) !== null) continue;
    const made = planRename(project, symbol, getFreshName(symbol, place.text));
    const what = `${symbol.sort} ${symbol.name} of ${basename(project.folder)}`;
    if (typeof made === 'string') {
      tally.refused.push(`${what}: ${made}`);
      continue;
    }
    tally.renamed++;
    // What is not set is no problem of the definitions.
    if (symbol.sort !== 'environment') expect(more(before, soundness(project, analyser, made)), what).to.deep.equal([]);
    checkEdits(project, made, what);
  }
}

/** Codes of the problems as `lintel check` finds them, the texts changed or as they are. */
function soundness(project: Project, analyser: Analyser, made: RenamePlan | null): string[] {
  const files = [...project.files].map(([name, { text }]) => ({
    file: project.toRelativeName(made?.moved?.from === name ? made.moved.to : name),
    text: applyEdits(text, made?.edits.get(name) ?? []),
  }));
  const { problems } = analyser.analyseAll(files, { env: null, sql: SQL, given: project.getSnapshot().config });
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
function checkEdits(project: Project, { edits }: RenamePlan, what: string): void {
  for (const [name, list] of edits) {
    const text = project.getText(name)?.split(/\r\n|\r|\n/) ?? [];
    for (const { range } of list) {
      expect(range.start.line, what).to.equal(range.end.line);
      const replaced = text[range.start.line]?.slice(range.start.character, range.end.character);
      if (project.getText(name) === null) continue;
      // A piece of one string: quotes in it are escaped.
      expect(() => void JSON.parse(`"${replaced}"`), `${what}: ${replaced}`).not.to.throw();
    }
  }
}

/** A sample may by chance hold more of those that are refused. */
function expectMostRenamed({ renamed, refused }: Tally): void {
  expect(refused.length, refused.join('\n')).to.be.below(isDeep('editor') ? renamed / 4 : renamed + 3);
}

describe('language server: names renamed', function () {
  // In a deep run of a busy machine; a sample takes a few seconds.
  this.timeout(600_000);
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'lintel-rename-'))));
  after(() => rm(folder, { recursive: true, force: true }));

  it('keeps the sample as valid as it is', async () => {
    const tally: Tally = { renamed: 0, refused: [] };
    const count = countRuns('editor', 10, 1000);
    await renameSome(await openWhole(ROOT), tally, count);
    expect(tally.renamed).to.be.above(isDeep('editor') ? 150 : 0);
    expectMostRenamed(tally);
  });

  it('makes no fixture worse', async () => {
    const tally: Tally = { renamed: 0, refused: [] };
    const names = sampleCases('editor', 'fixtures', listCaseNames(), 40);
    for (const name of names) {
      const home = join(folder, name);
      await mkdir(home, { recursive: true });
      await cp(join(DEFINITIONS, name), join(home, 'definitions'), { recursive: true });
      await renameSome(await openWhole(home), tally, countRuns('editor', 2, 1000));
    }
    expect(tally.renamed).to.be.above(names.length / 2);
    expectMostRenamed(tally);
  });
});
