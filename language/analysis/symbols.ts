/** Names with their declarations and uses, and what collects them. */
import { rangeAt } from '../source/document.js';
import type { SharedKind } from '../../contract/field-meta.js';
import type { Position, Range } from '../../contract/problem.js';
import type { Analysis } from './analysis.js';
import type { Registry } from './registry.js';
import type { SourceLocation } from './report.js';

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
  /** `self`: another word for it. `file`: the file name; `spot` is the start of the content. `issued`: where tokens get a claim. */
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

export const toRange = ({ doc, start, end }: SourceLocation): Range => rangeAt(doc, start, end);
