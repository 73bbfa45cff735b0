/** Computes the edits of a rename. Rejects it if a reference is ambiguous or the result has new problems. */
import { basename, dirname, join } from 'node:path';
import type { TextEdit } from 'vscode-languageserver';
import { doubtsOf } from '../../language/analysis/symbols/doubts.js';
import { rangeOf, type NamedSymbol } from '../../language/analysis/symbols.js';
import type { Problem, Range } from '../../contract/problem.js';
import { applyEdits } from '../../language/source/apply.js';
import type { Project } from '../project.js';
import { indexOf, placesOf, type Place } from './places.js';
import { lastOf, nameFault } from './refusals.js';
import { respelt } from './respell.js';

export interface Renaming {
  /** By absolute name of the file. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** The file named after the symbol, and its new name. */
  readonly moved: { readonly from: string; readonly to: string } | null;
}

/** Returns a message if the rename is rejected. */
export function renaming(project: Project, symbol: NamedSymbol, newName: string): Renaming | string {
  if (newName === lastOf(symbol.name)) return { edits: new Map(), moved: null };
  const fault = nameFault(project, symbol, newName);
  if (fault !== null) return fault;
  const symbols = [symbol, ...fieldsOfPayload(project, symbol)];
  const places = symbols.flatMap((one) => placesOf(project, one).map((place) => ({ place, symbol: one })));
  const edits = new Map<string, TextEdit[]>();
  for (const { place, symbol: one } of places) {
    if (place.form === 'self' || place.form === 'file') continue;
    const newText = respelt(place, one, newName);
    if (newText === null) return `"${newName}" would need quotes in SQL (${said(project, place)}). Take another name.`;
    edits.set(place.file, [...(edits.get(place.file) ?? []), { range: place.range, newText }]);
  }
  const own = places.find(({ place }) => place.form === 'file')?.place;
  const moved = own === undefined ? null : moveOf(own.file, symbol.name, newName);
  if (moved !== null && project.textOf(moved.to) !== null) return `There is a file "${basename(moved.to)}" already.`;
  return doubt(project, symbols, edits) ?? harm(project, symbol, { edits, moved }, newName) ?? { edits, moved };
}

/** Payload fields that are named after the model field. */
function fieldsOfPayload(project: Project, { sort, alike }: NamedSymbol): NamedSymbol[] {
  return sort === 'field' ? alike.flatMap((key) => indexOf(project).symbols.get(key) ?? []) : [];
}

function moveOf(from: string, name: string, newName: string): Renaming['moved'] {
  return { from, to: join(dirname(from), newName + basename(from).slice(name.length)) };
}

const said = (project: Project, { file, range }: Pick<Place, 'file' | 'range'>): string =>
  `${project.shown(file)}, line ${range.start.line + 1}`;

/** A location that may refer to the name but would not be renamed. */
function doubt(project: Project, symbols: readonly NamedSymbol[], edits: Renaming['edits']): string | null {
  const { analysis } = project.snapshot();
  const isEdited = (file: string, { start }: Range): boolean =>
    edits
      .get(file)
      ?.some(
        ({ range }) => range.start.line === start.line && Math.abs(range.start.character - start.character) <= 1,
      ) ?? false;
  for (const symbol of symbols) {
    for (const spot of doubtsOf(analysis, symbol)) {
      const place = { file: join(project.folder, spot.doc.file), range: rangeOf(spot) };
      if (!isEdited(place.file, place.range)) {
        return `"${lastOf(symbol.name)}" may be meant in ${said(project, place)}, too, which is not certain. Change that place first.`;
      }
    }
    const unread = new Set(analysis.problems.filter(({ code }) => code.startsWith('SRC_')).map(({ file }) => file));
    for (const { file, text } of project.files.values()) {
      if (unread.has(file) && text.includes(lastOf(symbol.name)))
        return `${file} cannot be read as it is. Mend it first.`;
    }
  }
  return null;
}

/** Problems that the rename would introduce. */
function harm(
  project: Project,
  { sort, name }: NamedSymbol,
  { edits, moved }: Renaming,
  newName: string,
): string | null {
  const texts = new Map<string, string>();
  for (const [file, list] of edits) {
    const text = project.textOf(file);
    if (text !== null) texts.set(file, applyEdits(text, list));
  }
  // Variables that are not set in `.env` keep their name, because they come from the shell.
  const isOurs = project.envNames.placesOf(name).some(({ file }) => basename(file) === '.env');
  const env = new Map(sort === 'environment' && isOurs ? [[name, newName]] : []);
  const count = (problems: readonly Problem[], called: (file: string) => string): Map<string, Problem[]> => {
    const found = new Map<string, Problem[]>();
    for (const problem of problems) {
      const key = `${problem.code} ${called(problem.file)}`;
      found.set(key, [...(found.get(key) ?? []), problem]);
    }
    return found;
  };
  const after = project.suppose({ texts, moved, env });
  const before = count(project.snapshot().problems, (file) =>
    moved !== null && file === project.shown(moved.from) ? project.shown(moved.to) : file,
  );
  for (const [key, problems] of count(after, (file) => file)) {
    const known = before.get(key)?.length ?? 0;
    const first = problems[known];
    if (first === undefined) continue;
    return `With the name "${newName}" this would be wrong in ${first.file}, line ${first.range.start.line + 1}: ${first.message}`;
  }
  return null;
}
