/**
 * One index of names: what each name of the definitions stands for, where it is declared and where it is used, across files.
 * Made from an analysis when somebody asks for it, and kept as long as that; data for editors, judges nothing.
 */
import { rangeAt } from '../source/document.js';
import type { Position, Range } from '../contract/problem.js';
import type { Analysis } from './model.js';
import type { Registry } from './registry.js';
import type { Spot } from './report.js';
import { collectDocuments } from './symbols/documents.js';
import { collectModels } from './symbols/models.js';
import { collectResources } from './symbols/resources.js';
import { collectStatements } from './symbols/statements.js';

export type SymbolSort =
  | 'resource'
  | 'action'
  | 'model'
  | 'field'
  | 'payload'
  | 'name'
  | 'generated'
  | 'claim'
  | 'environment';

/** What a name is, within what: a field within its model, an actionable within its resource, a variable within nothing. */
export interface SymbolId {
  readonly sort: SymbolSort;
  /** Model, or number of the definition; empty for what is known everywhere. */
  readonly within: string;
  /** Of payload fields: the path, with dots. */
  readonly name: string;
}

export interface Occurrence {
  /** The characters of the name, without quotes. */
  readonly spot: Spot;
  readonly role: 'declaration' | 'use';
  /**
   * `sql`: a name in a statement. `self`: a word that means it without being its name. `file`: the name is that of the file, the
   * place the beginning of what it holds.
   */
  readonly form: 'plain' | 'sql' | 'self' | 'file';
}

export interface NamedSymbol extends SymbolId {
  readonly key: string;
  readonly occurrences: readonly Occurrence[];
  /** Symbols whose names have to be the same: fields of the payload that are names only because a model has them. */
  readonly alike: readonly string[];
}

export interface SymbolIndex {
  readonly symbols: ReadonlyMap<string, NamedSymbol>;
  get(id: SymbolId): NamedSymbol | undefined;
  /** The innermost name at a position of a file, as problems call the file. */
  at(file: string, position: Position): Found | null;
}

export interface Found {
  readonly symbol: NamedSymbol;
  readonly occurrence: Occurrence;
  readonly range: Range;
}

/** What collectors put their findings into. */
export interface Collecting {
  readonly analysis: Analysis;
  readonly registry: Registry;
  readonly add: (id: SymbolId, spot: Spot, role: Occurrence['role'], form?: Occurrence['form']) => void;
  /** Both have to have the same name. */
  readonly tie: (a: SymbolId, b: SymbolId) => void;
}

export const symbolKey = ({ sort, within, name }: SymbolId): string => `${sort}\n${within}\n${name}`;

const kept = new WeakMap<Analysis, SymbolIndex>();

export function symbolsOf(analysis: Analysis, registry: Registry): SymbolIndex {
  const known = kept.get(analysis);
  if (known !== undefined) return known;
  const index = makeIndex(analysis, registry);
  kept.set(analysis, index);
  return index;
}

interface Draft extends SymbolId {
  readonly key: string;
  readonly occurrences: Map<string, Occurrence>;
  readonly alike: Set<string>;
}

function makeIndex(analysis: Analysis, registry: Registry): SymbolIndex {
  const drafts = new Map<string, Draft>();
  const draft = (id: SymbolId): Draft => {
    const key = symbolKey(id);
    const { sort, within, name } = id;
    const one = drafts.get(key) ?? { sort, within, name, key, occurrences: new Map(), alike: new Set() };
    drafts.set(key, one);
    return one;
  };
  const collecting: Collecting = {
    analysis,
    registry,
    add(id, spot, role, form = 'plain') {
      // Still to be typed.
      if (id.name === '') return;
      const { occurrences } = draft(id);
      const { start } = rangeAt(spot.doc, spot.start, spot.end);
      const place = `${spot.doc.file}\n${start.line}:${start.character}`;
      // One place may be found in two ways; that it declares the name counts.
      if (!occurrences.has(place) || role === 'declaration') occurrences.set(place, { spot, role, form });
    },
    tie(a, b) {
      draft(a).alike.add(symbolKey(b));
      draft(b).alike.add(symbolKey(a));
    },
  };
  for (const collect of [collectModels, collectResources, collectStatements, collectDocuments]) collect(collecting);
  const symbols = new Map([...drafts].map(([key, one]) => [key, finished(one)]));
  const byFile = new Map<string, Found[]>();
  return {
    symbols,
    get: (id) => symbols.get(symbolKey(id)),
    at(file, position) {
      const found = byFile.get(file) ?? inFile(symbols, file);
      byFile.set(file, found);
      const around = found.filter(({ range }) => holds(range, position));
      // A path holds its segments: the shortest is meant.
      return around.reduce<Found | null>((best, one) => (best === null || within(one, best) ? one : best), null);
    },
  };
}

const finished = ({ occurrences, alike, ...id }: Draft): NamedSymbol =>
  Object.freeze({ ...id, occurrences: [...occurrences.values()], alike: [...alike] });

const inFile = (symbols: ReadonlyMap<string, NamedSymbol>, file: string): Found[] =>
  [...symbols.values()].flatMap((symbol) =>
    symbol.occurrences
      .filter(({ spot, form }) => spot.doc.file === file && form !== 'file')
      .map((occurrence) => ({ symbol, occurrence, range: rangeOf(occurrence.spot) })),
  );

export const rangeOf = ({ doc, start, end }: Spot): Range => rangeAt(doc, start, end);

const holds = ({ start, end }: Range, { line, character }: Position): boolean =>
  (start.line < line || (start.line === line && start.character <= character)) &&
  (end.line > line || (end.line === line && end.character >= character));

const within = ({ range: a }: Found, { range: b }: Found): boolean => holds(b, a.start) && holds(b, a.end);
