/** Computes the edits of a rename. Rejects it if a reference is ambiguous or the result has new problems. */
import { basename, dirname, join } from 'node:path';
import type { TextEdit } from 'vscode-languageserver';
import { formatSharedName, isSharedKind, toSharedName } from '../../language/analysis/shared-names.js';
import { findUncertainUses } from '../../language/analysis/symbols/uncertain-uses.js';
import { toRange, type NamedSymbol } from '../../language/analysis/symbols.js';
import type { Problem, Range } from '../../contract/problem.js';
import { applyEdits } from '../../language/source/apply.js';
import type { Project } from '../project.js';
import { getSymbolIndex, findSymbolLocations, type SymbolLocation } from './symbol-locations.js';
import { getLastSegment, findNameError } from './rename-checks.js';
import { respellName } from './respell-name.js';

export interface RenamePlan {
  /** By absolute name of the file. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** The file named after the symbol, and its new name. */
  readonly moved: { readonly from: string; readonly to: string } | null;
  /** What the user has to know before the change. */
  readonly warning: string | null;
}

/** Returns a message if the rename is rejected. */
export function planRename(project: Project, symbol: NamedSymbol, newName: string): RenamePlan | string {
  if (isSameName(symbol, newName)) return { edits: new Map(), moved: null, warning: null };
  const fault = findNameError(project, symbol, newName);
  if (fault !== null) return fault;
  const symbols = [symbol, ...findPayloadFields(project, symbol)];
  const places = symbols.flatMap((one) => findSymbolLocations(project, one).map((place) => ({ place, symbol: one })));
  const edits = new Map<string, TextEdit[]>();
  for (const { place, symbol: one } of places) {
    if (place.form === 'self' || place.form === 'file') continue;
    const newText = respellName(place, one, newName);
    if (newText === null)
      return `"${newName}" would need quotes in SQL (${formatLocation(project, place)}). Take another name.`;
    edits.set(place.file, [...(edits.get(place.file) ?? []), { range: place.range, newText }]);
  }
  const own = places.find(({ place }) => place.form === 'file')?.place;
  const moved = own === undefined ? null : createFileMove(own.file, symbol.name, newName);
  if (moved !== null && project.getText(moved.to) !== null) return `There is a file "${basename(moved.to)}" already.`;
  const plan = { edits, moved, warning: findWarning(symbol) };
  return findUncertainReference(project, symbols, edits) ?? findNewProblem(project, symbol, plan, newName) ?? plan;
}

const isSameName = (symbol: NamedSymbol, newName: string): boolean =>
  getLastSegment(symbol) === (isSharedKind(symbol.sort) ? toSharedName(newName) : newName);

const findWarning = ({ sort, name }: NamedSymbol): string | null =>
  sort === 'claim'
    ? `Tokens that are issued already hold the claim "${name}". Guards reject them with 403 until their holders sign in again.`
    : null;

function findPayloadFields(project: Project, { sort, alike }: NamedSymbol): NamedSymbol[] {
  const index = getSymbolIndex(project);
  return sort === 'field'
    ? alike.flatMap((key) => index.symbols.get(key) ?? []).filter((one) => one.sort === 'payload')
    : [];
}

function createFileMove(from: string, name: string, newName: string): RenamePlan['moved'] {
  return { from, to: join(dirname(from), newName + basename(from).slice(name.length)) };
}

const formatLocation = (project: Project, { file, range }: Pick<SymbolLocation, 'file' | 'range'>): string =>
  `${project.toRelativeName(file)}, line ${range.start.line + 1}`;

/** A location that may refer to the name but would not be renamed. */
function findUncertainReference(
  project: Project,
  symbols: readonly NamedSymbol[],
  edits: RenamePlan['edits'],
): string | null {
  const { analysis } = project.getSnapshot();
  const isEdited = (file: string, { start }: Range): boolean =>
    edits
      .get(file)
      ?.some(
        ({ range }) => range.start.line === start.line && Math.abs(range.start.character - start.character) <= 1,
      ) ?? false;
  for (const symbol of symbols) {
    for (const spot of findUncertainUses(analysis, symbol)) {
      const place = { file: join(project.folder, spot.doc.file), range: toRange(spot) };
      if (!isEdited(place.file, place.range)) {
        return `"${formatSharedName(getLastSegment(symbol))}" may be meant in ${formatLocation(project, place)}, too, which is not certain. Change that place first.`;
      }
    }
    const unread = new Set(analysis.problems.filter(({ code }) => code.startsWith('SRC_')).map(({ file }) => file));
    for (const { file, text } of project.files.values()) {
      if (unread.has(file) && text.includes(formatSharedName(getLastSegment(symbol)).split('…')[0] ?? ''))
        return `${file} has syntax errors. Fix them first.`;
    }
  }
  return null;
}

/** Problems that the rename would introduce. */
function findNewProblem(
  project: Project,
  { sort, name }: NamedSymbol,
  { edits, moved }: RenamePlan,
  newName: string,
): string | null {
  const texts = new Map<string, string>();
  for (const [file, list] of edits) {
    const text = project.getText(file);
    if (text !== null) texts.set(file, applyEdits(text, list));
  }
  // Variables that are not set in `.env` keep their name, because they come from the shell.
  const isOurs = project.envNames.findLocations(name).some(({ file }) => basename(file) === '.env');
  const env = new Map(sort === 'environment' && isOurs ? [[name, newName]] : []);
  const count = (problems: readonly Problem[], called: (file: string) => string): Map<string, Problem[]> => {
    const found = new Map<string, Problem[]>();
    for (const problem of problems) {
      const key = `${problem.code} ${called(problem.file)}`;
      found.set(key, [...(found.get(key) ?? []), problem]);
    }
    return found;
  };
  const after = project.previewChange({ texts, moved, env });
  const before = count(project.getSnapshot().problems, (file) =>
    moved !== null && file === project.toRelativeName(moved.from) ? project.toRelativeName(moved.to) : file,
  );
  for (const [key, problems] of count(after, (file) => file)) {
    const known = before.get(key)?.length ?? 0;
    const first = problems[known];
    if (first === undefined) continue;
    return `With the name "${newName}" this would be wrong in ${first.file}, line ${first.range.start.line + 1}: ${first.message}`;
  }
  return null;
}
