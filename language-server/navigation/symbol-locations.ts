/** Finds the name at a position and all locations of a symbol, environment variables included. */
import { join } from 'node:path';
import type { Location, Position, Range } from 'vscode-languageserver';
import { listAccessors } from '../../language/strings/accessor.js';
import type { LocatedNode } from '../../language/source/tree.js';
import {
  toRange,
  createSymbolKey,
  type NamedSymbol,
  type Occurrence,
  type SymbolIndex,
} from '../../language/analysis/symbols.js';
import { symbolsOf } from '../../language/analysis/symbol-index.js';
import { environmentId, getAccessorFacts, splitTail } from '../../language/analysis/symbols/accessors.js';
import { locateInside } from '../../language/analysis/symbols/locations.js';
import type { SourceLocation } from '../../language/analysis/report.js';
import { CONFIG_NAME } from '../../language/project/names.js';
import type { Project } from '../project.js';
import { createDocumentContext, type DocumentContext } from '../document-context.js';

export interface SymbolLocation {
  /** Absolute name of the file. */
  readonly file: string;
  readonly range: Range;
  readonly role: Occurrence['role'];
  readonly form: Occurrence['form'];
  /** Characters in the file; empty for env files, which are not read. */
  readonly text: string;
}

export interface SymbolMatch {
  readonly symbol: NamedSymbol;
  readonly place: SymbolLocation;
}

export const getSymbolIndex = (project: Project): SymbolIndex =>
  symbolsOf(project.getSnapshot().analysis, project.registry);

export function findSymbolAt(view: DocumentContext, position: Position): SymbolMatch | null {
  const { project } = view;
  if (project.isConfig(view.name)) {
    const here = listConfigVariables(project).find(({ spot }) => hasPosition(toRange(spot), position));
    if (here === undefined) return null;
    return {
      symbol: getVariableSymbol(project, here.name),
      place: toSymbolLocation(project, { spot: here.spot, ...USE }),
    };
  }
  const found = getSymbolIndex(project).at(view.doc.file, position);
  return found === null ? null : { symbol: found.symbol, place: toSymbolLocation(project, found.occurrence) };
}

const USE = { role: 'use', form: 'plain' } as const;

const getVariableSymbol = (project: Project, name: string): NamedSymbol => {
  const id = environmentId(name);
  return getSymbolIndex(project).get(id) ?? { ...id, key: createSymbolKey(id), occurrences: [], alike: [] };
};

/** Declarations first. */
export function findSymbolLocations(project: Project, symbol: NamedSymbol): SymbolLocation[] {
  const own = symbol.occurrences.map((occurrence) => toSymbolLocation(project, occurrence));
  if (symbol.sort !== 'environment') return declarationsFirst(own);
  const config = listConfigVariables(project)
    .filter(({ name }) => name === symbol.name)
    .map(({ spot }) => toSymbolLocation(project, { spot, ...USE }));
  const set = project.envNames.findLocations(symbol.name).map(({ file, line, start, end }): SymbolLocation => ({
    file,
    range: { start: { line, character: start }, end: { line, character: end } },
    role: 'declaration',
    form: 'plain',
    text: '',
  }));
  return declarationsFirst([...set, ...own, ...config]);
}

const declarationsFirst = (places: readonly SymbolLocation[]): SymbolLocation[] => [
  ...places.filter(({ role }) => role === 'declaration'),
  ...places.filter(({ role }) => role === 'use'),
];

export const toSymbolLocation = (project: Project, { spot, role, form }: Occurrence): SymbolLocation => ({
  file: join(project.folder, spot.doc.file),
  range: toRange(spot),
  role,
  form,
  text: spot.doc.text.slice(spot.start, spot.end),
});

/** `uriOf` returns the client's spelling of a URI. */
export const toLspLocation = ({ file, range }: SymbolLocation, uriOf: (name: string) => string): Location => ({
  uri: uriOf(file),
  range,
});

interface Variable {
  readonly name: string;
  readonly spot: SourceLocation;
}

function listConfigVariables(project: Project): Variable[] {
  const view = createDocumentContext(project, join(project.folder, CONFIG_NAME));
  const root = view?.tree.root ?? null;
  if (view === null || root === null) return [];
  const found: Variable[] = [];
  const visit = (node: LocatedNode): void => {
    for (const part of node.type === 'string' ? listAccessors(String(node.scalar)) : []) {
      const [first] = splitTail(part);
      if (first === undefined || getAccessorFacts(project.registry, part.root).tail !== 'env') continue;
      const spot = { doc: view.doc, start: node.start, end: node.end };
      found.push({ name: first.text, spot: locateInside(spot, first.start, first.end) });
    }
    node.items.forEach(visit);
    for (const { value } of node.members) if (value !== null) visit(value);
  };
  visit(root);
  return found;
}

export const hasPosition = ({ start, end }: Range, { line, character }: Position): boolean =>
  (start.line < line || (start.line === line && start.character <= character)) &&
  (end.line > line || (end.line === line && end.character >= character));
