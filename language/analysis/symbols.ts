/** An index of all names with their declarations and uses across files, for editors. */
import { rangeAt } from '../source/document.js';
import type { SharedKind } from '../../contract/field-meta.js';
import type { Position, Range } from '../../contract/problem.js';
import type { Analysis } from './model.js';
import type { Registry } from './registry.js';
import type { SourceLocation } from './report.js';
import { collectDocuments } from './symbols/documents.js';
import { collectModels } from './symbols/models.js';
import { collectResources } from './symbols/resources.js';
import { collectSharedNames } from './symbols/shared-names.js';
import { collectStatements } from './symbols/statements.js';
import { collectTests } from './symbols/tests.js';

export type SymbolSort =
  | SharedKind
  | 'resource'
  | 'action'
  | 'model'
  | 'field'
  | 'payload'
  | 'name'
  | 'generated'
  | 'claim'
  | 'environment';

export interface SymbolId {
  readonly sort: SymbolSort;
  /** A model, or the number of a definition; empty for global names. For claims, the number of the guard that comes first. */
  readonly within: string;
  /** The dotted path for payload fields. */
  readonly name: string;
}

export interface Occurrence {
  /** Without quotes. */
  readonly spot: SourceLocation;
  readonly role: 'declaration' | 'use';
  /**
   * `sql`: a name in a statement. `self`: another word for it. `file`: the file name; `spot` is the start of the content.
   * `issued`: where tokens get a claim.
   */
  readonly form: 'plain' | 'sql' | 'self' | 'file' | 'issued';
}

export interface NamedSymbol extends SymbolId {
  readonly key: string;
  readonly occurrences: readonly Occurrence[];
  /** Keys of the symbols that must be renamed together. */
  readonly alike: readonly string[];
}

export interface SymbolIndex {
  readonly symbols: ReadonlyMap<string, NamedSymbol>;
  get(id: SymbolId): NamedSymbol | undefined;
  /** Returns the innermost name; `file` as in problems. */
  at(file: string, position: Position): SymbolMatch | null;
}

export interface SymbolMatch {
  readonly symbol: NamedSymbol;
  readonly occurrence: Occurrence;
  readonly range: Range;
}

export interface SymbolCollector {
  readonly analysis: Analysis;
  readonly registry: Registry;
  readonly add: (id: SymbolId, spot: SourceLocation, role: Occurrence['role'], form?: Occurrence['form']) => void;
  /** Marks two symbols that must have the same name. */
  readonly linkSymbols: (a: SymbolId, b: SymbolId) => void;
}

export const createSymbolKey = ({ sort, within, name }: SymbolId): string => `${sort}\n${within}\n${name}`;

const kept = new WeakMap<Analysis, SymbolIndex>();

export function symbolsOf(analysis: Analysis, registry: Registry): SymbolIndex {
  const known = kept.get(analysis);
  if (known !== undefined) return known;
  const index = createSymbolIndex(analysis, registry);
  kept.set(analysis, index);
  return index;
}

const COLLECTORS: readonly ((collecting: SymbolCollector) => void)[] = [
  collectModels,
  collectResources,
  collectStatements,
  collectDocuments,
  collectSharedNames,
  collectTests,
];

interface Draft extends SymbolId {
  readonly key: string;
  readonly occurrences: Map<string, Occurrence>;
  readonly alike: Set<string>;
}

function createSymbolIndex(analysis: Analysis, registry: Registry): SymbolIndex {
  const drafts = new Map<string, Draft>();
  const ensureDraft = (id: SymbolId): Draft => {
    const key = createSymbolKey(id);
    const { sort, within, name } = id;
    const one = drafts.get(key) ?? { sort, within, name, key, occurrences: new Map(), alike: new Set() };
    drafts.set(key, one);
    return one;
  };
  const collecting: SymbolCollector = {
    analysis,
    registry,
    add(id, spot, role, form = 'plain') {
      // The name is not written yet.
      if (id.name === '') return;
      const { occurrences } = ensureDraft(id);
      const { start } = rangeAt(spot.doc, spot.start, spot.end);
      const place = `${spot.doc.file}\n${start.line}:${start.character}`;
      // Several collectors may report one location; a declaration takes precedence.
      if (!occurrences.has(place) || role === 'declaration') occurrences.set(place, { spot, role, form });
    },
    linkSymbols(a, b) {
      ensureDraft(a).alike.add(createSymbolKey(b));
      ensureDraft(b).alike.add(createSymbolKey(a));
    },
  };
  for (const collect of COLLECTORS) collect(collecting);
  const symbols = new Map([...drafts].map(([key, one]) => [key, freezeSymbol(one)]));
  const byFile = new Map<string, SymbolMatch[]>();
  return {
    symbols,
    get: (id) => symbols.get(createSymbolKey(id)),
    at(file, position) {
      const found = byFile.get(file) ?? listMatches(symbols, file);
      byFile.set(file, found);
      const around = found.filter(({ range }) => isInRange(range, position));
      // A path contains its segments, so the shortest range wins.
      return around.reduce<SymbolMatch | null>(
        (best, one) => (best === null || isWithin(one, best) ? one : best),
        null,
      );
    },
  };
}

const freezeSymbol = ({ occurrences, alike, ...id }: Draft): NamedSymbol =>
  Object.freeze({ ...id, occurrences: [...occurrences.values()], alike: [...alike] });

const listMatches = (symbols: ReadonlyMap<string, NamedSymbol>, file: string): SymbolMatch[] =>
  [...symbols.values()].flatMap((symbol) =>
    symbol.occurrences
      .filter(({ spot, form }) => spot.doc.file === file && form !== 'file')
      .map((occurrence) => ({ symbol, occurrence, range: toRange(occurrence.spot) })),
  );

export const toRange = ({ doc, start, end }: SourceLocation): Range => rangeAt(doc, start, end);

const isInRange = ({ start, end }: Range, { line, character }: Position): boolean =>
  (start.line < line || (start.line === line && start.character <= character)) &&
  (end.line > line || (end.line === line && end.character >= character));

const isWithin = ({ range: a }: SymbolMatch, { range: b }: SymbolMatch): boolean =>
  isInRange(b, a.start) && isInRange(b, a.end);
