/**
 * Reads files into definitions. Valid entries are cached by their text, even if they move. Invalid ones are parsed
 * with their file.
 */
import type { CodeEntry } from '../../contract/problem.js';
import { createDocument, createWindow, type Document, type Window } from '../source/document.js';
import { parseDamagedSource } from '../source/repair.js';
import type { LocatedNode, SourceFault } from '../source/tree.js';
import { parseSource } from '../source/parse.js';
import { trimList } from '../source/trim-list.js';
import { findObjects, type KnownEnd, type TextRange } from '../source/fragments.js';
import { classifyDefinitions, listEntries } from './classify.js';
import { createWalkResult } from './facts.js';
import type { Definition } from './model.js';
import { createReport, reportFaults, type PendingProblem } from './report.js';

export interface SourceFile {
  readonly file: string;
  readonly text: string;
  /** The reason if the file cannot be read as UTF-8. */
  readonly unreadable?: string;
}

export interface FileRead {
  readonly source: SourceFile;
  readonly doc: Document;
  readonly entries: readonly Entry[];
  readonly definitions: readonly Definition[];
  readonly rows: readonly PendingProblem[];
  /** The file has syntax errors. */
  readonly faulty: boolean;
  /** It was read as if a lost character were there. */
  readonly repaired: boolean;
}

interface Entry {
  /** Null for an entry that is parsed with its file. */
  readonly window: Window | null;
  /** Duplicate keys: the only faults of a separately parsed entry. */
  readonly faults: readonly SourceFault[];
  readonly definitions: readonly Definition[];
  readonly rows: readonly PendingProblem[];
}

type Codes = Readonly<Record<string, CodeEntry>>;

export interface ReadOptions {
  readonly codes: Codes;
  /** Also classifies models by their shape. */
  readonly byShape: boolean;
}

/** `before`: the previous read of this file with the same options. */
export function readFile(source: SourceFile, before: FileRead | undefined, reading: ReadOptions): FileRead {
  const { file, text, unreadable } = source;
  if (before?.source.text === text && before.source.unreadable === unreadable) return before;
  const doc = createDocument(file, text);
  const report = createReport(reading.codes);
  if (unreadable !== undefined) {
    report.add('SRC_UNREADABLE', { doc, start: 0, end: 0 }, { what: unreadable });
    return { source, doc, entries: [], definitions: [], rows: report.rows, faulty: true, repaired: false };
  }
  const windows = createWindows(doc, before?.entries ?? [], reading);
  const entries = findObjects(text, windows.knownEnd)?.map(windows.entryAt) ?? [null];
  const sound = entries.filter((entry) => entry !== null);
  if (sound.length === entries.length) {
    for (const { window, faults } of sound) if (window !== null) reportFaults(window, faults, report);
    return createFileRead(source, doc, sound, report.rows);
  }
  const { root, faults, insertion } = parseDamagedSource(doc);
  reportFaults(doc, faults, report);
  const nodes = root === null ? [] : listEntries(root);
  const found = nodes.map((node) => windows.entryAt(node) ?? createEntry(doc, node, reading));
  return createFileRead(source, doc, found, report.rows, insertion !== null);
}

/** The same file with new definitions in place of `outdated` ones, which are walked again. */
export function renewDefinitions(read: FileRead, outdated: { has(definition: Definition): boolean }): FileRead {
  const renewDefinition = (one: Definition): Definition =>
    outdated.has(one) ? { ...one, finds: createWalkResult() } : one;
  if (!read.definitions.some((one) => outdated.has(one))) return read;
  const entries = read.entries.map((entry) => ({ ...entry, definitions: entry.definitions.map(renewDefinition) }));
  return { ...read, entries, definitions: entries.flatMap((entry) => entry.definitions) };
}

function createFileRead(
  source: SourceFile,
  doc: Document,
  entries: readonly Entry[],
  faults: readonly PendingProblem[],
  repaired = false,
): FileRead {
  const definitions = trimList(entries.flatMap((entry) => entry.definitions));
  const rows = trimList([...faults, ...entries.flatMap((entry) => entry.rows)]);
  return {
    source,
    doc,
    entries: trimList(entries),
    definitions,
    rows,
    faulty: faults.length > 0,
    repaired,
  };
}

interface WindowCache {
  readonly knownEnd: KnownEnd;
  /** Null if the range is no valid object. */
  readonly entryAt: (stretch: TextRange) => Entry | null;
}

/** By their previous order, and moved ones by text. */
function createWindows(doc: Document, before: readonly Entry[], reading: ReadOptions): WindowCache {
  const spare = new Map<string, Entry[]>();
  for (const entry of before) {
    if (entry.window === null) continue;
    const { text } = entry.window;
    const alike = spare.get(text);
    if (alike === undefined) spare.set(text, [entry]);
    else alike.push(entry);
  }
  const expected = before.flatMap(({ window }) => window?.text ?? []);
  let next = 0;
  const knownEnd = (start: number): number | undefined => {
    for (const i of [next, next + 1]) {
      const text = expected[i];
      if (text === undefined || !doc.text.startsWith(text, start)) continue;
      next = i + 1;
      return start + text.length;
    }
    return undefined;
  };
  const taken = new Map<number, { readonly end: number; readonly entry: Entry | null }>();
  const entryAt = ({ start, end }: TextRange): Entry | null => {
    const known = taken.get(start);
    if (known?.end === end) return known.entry;
    const again = start < end ? spare.get(doc.text.slice(start, end))?.shift() : undefined;
    if (again?.window) again.window.within = { doc, start };
    const entry = again ?? (start < end ? readWindow(createWindow(doc, start, end), reading) : null);
    taken.set(start, { end, entry });
    return entry;
  };
  return { knownEnd, entryAt };
}

function readWindow(window: Window, reading: ReadOptions): Entry | null {
  const { root, faults } = parseSource(window);
  if (root?.type !== 'object' || faults.some(({ code }) => code !== 'SRC_DUPLICATE_KEY')) return null;
  return { ...createEntry(window, root, reading), window, faults };
}

function createEntry(doc: Document, node: LocatedNode, { codes, byShape }: ReadOptions): Entry {
  const report = createReport(codes);
  const definitions = classifyDefinitions(doc, node, report, byShape);
  return { window: null, faults: [], definitions, rows: trimList(report.rows) };
}
