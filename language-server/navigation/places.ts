/** Finds the name at a position and all locations of a symbol, including environment variables in the config and in env files. */
import { join } from 'node:path';
import type { Location, Position, Range } from 'vscode-languageserver';
import { accessorsIn } from '../../language/strings/accessor.js';
import type { LocatedNode } from '../../language/source/tree.js';
import {
  rangeOf,
  symbolKey,
  symbolsOf,
  type NamedSymbol,
  type Occurrence,
  type SymbolIndex,
} from '../../language/analysis/symbols.js';
import { environmentId, factsOf, tailOf } from '../../language/analysis/symbols/accessors.js';
import { innerSpot } from '../../language/analysis/symbols/spots.js';
import type { Spot } from '../../language/analysis/report.js';
import { CONFIG_NAME } from '../../language/project/names.js';
import type { Project } from '../project.js';
import { viewOf, type View } from '../view.js';

export interface Place {
  /** Absolute name of the file. */
  readonly file: string;
  readonly range: Range;
  readonly role: Occurrence['role'];
  readonly form: Occurrence['form'];
  /** Characters in the file; empty for env files, which are not read. */
  readonly text: string;
}

export interface FoundName {
  readonly symbol: NamedSymbol;
  readonly place: Place;
}

export const indexOf = (project: Project): SymbolIndex => symbolsOf(project.snapshot().analysis, project.registry);

export function nameAt(view: View, position: Position): FoundName | null {
  const { project } = view;
  if (project.isConfig(view.name)) {
    const here = inConfig(project).find(({ spot }) => holds(rangeOf(spot), position));
    if (here === undefined) return null;
    return { symbol: environment(project, here.name), place: placeOf(project, { spot: here.spot, ...USE }) };
  }
  const found = indexOf(project).at(view.doc.file, position);
  return found === null ? null : { symbol: found.symbol, place: placeOf(project, found.occurrence) };
}

const USE = { role: 'use', form: 'plain' } as const;

const environment = (project: Project, name: string): NamedSymbol => {
  const id = environmentId(name);
  return indexOf(project).get(id) ?? { ...id, key: symbolKey(id), occurrences: [], alike: [] };
};

/** Declarations first. */
export function placesOf(project: Project, symbol: NamedSymbol): Place[] {
  const own = symbol.occurrences.map((occurrence) => placeOf(project, occurrence));
  if (symbol.sort !== 'environment') return declarationsFirst(own);
  const config = inConfig(project)
    .filter(({ name }) => name === symbol.name)
    .map(({ spot }) => placeOf(project, { spot, ...USE }));
  const set = project.envNames.placesOf(symbol.name).map(({ file, line, start, end }): Place => ({
    file,
    range: { start: { line, character: start }, end: { line, character: end } },
    role: 'declaration',
    form: 'plain',
    text: '',
  }));
  return declarationsFirst([...set, ...own, ...config]);
}

const declarationsFirst = (places: readonly Place[]): Place[] => [
  ...places.filter(({ role }) => role === 'declaration'),
  ...places.filter(({ role }) => role === 'use'),
];

export const placeOf = (project: Project, { spot, role, form }: Occurrence): Place => ({
  file: join(project.folder, spot.doc.file),
  range: rangeOf(spot),
  role,
  form,
  text: spot.doc.text.slice(spot.start, spot.end),
});

/** `uriOf` returns the client's spelling of a URI. */
export const locationOf = ({ file, range }: Place, uriOf: (name: string) => string): Location => ({
  uri: uriOf(file),
  range,
});

interface Variable {
  readonly name: string;
  readonly spot: Spot;
}

/** Environment variables that the config reads. */
function inConfig(project: Project): Variable[] {
  const view = viewOf(project, join(project.folder, CONFIG_NAME));
  const root = view?.tree.root ?? null;
  if (view === null || root === null) return [];
  const found: Variable[] = [];
  const visit = (node: LocatedNode): void => {
    for (const part of node.type === 'string' ? accessorsIn(String(node.scalar)) : []) {
      const [first] = tailOf(part);
      if (first === undefined || factsOf(project.registry, part.root).tail !== 'env') continue;
      const spot = { doc: view.doc, start: node.start, end: node.end };
      found.push({ name: first.text, spot: innerSpot(spot, first.start, first.end) });
    }
    node.items.forEach(visit);
    for (const { value } of node.members) if (value !== null) visit(value);
  };
  visit(root);
  return found;
}

export const holds = ({ start, end }: Range, { line, character }: Position): boolean =>
  (start.line < line || (start.line === line && start.character <= character)) &&
  (end.line > line || (end.line === line && end.character >= character));
