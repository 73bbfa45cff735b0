/**
 * Texts of completions: the places of valid definitions where something can be added, the offers there, and the
 * diagnostics after one was accepted with its defaults. Runs in the process of the test, with the server's own parts.
 */
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InsertTextFormat, type CompletionItem, type Range, type TextEdit } from 'vscode-languageserver-protocol';
import type { Problem } from '../../contract/problem.js';
import type { SourceFile } from '../../language/analysis/analyse.js';
import { createDocument, rangeAt } from '../../language/source/document.js';
import type { LocatedNode } from '../../language/source/tree.js';
import { parseSource } from '../../language/source/parse.js';
import { createDocumentContext } from '../../language-server/document-context.js';
import { completeAt } from '../../language-server/features/completion.js';
import { openProject, type Project } from '../../language-server/project.js';
import { CONFIG, offsetAt } from './fixtures.js';

/** A set of files with a caret in one of them. */
export interface OfferPlace {
  readonly set: string;
  readonly file: string;
  /** The place of the caret: a new member, a new item, the value of a member, the contents of an empty container. */
  readonly sort: 'member' | 'item' | 'value' | 'file';
  readonly pointer: string;
  readonly text: string;
  readonly offset: number;
}

export interface OfferSet {
  readonly name: string;
  readonly files: readonly SourceFile[];
}

/** An item of a list of completions, accepted. */
export interface AcceptedOffer {
  readonly place: OfferPlace;
  readonly label: string;
  readonly text: string;
  /** New errors and warnings, except those about a missing value at the caret. */
  readonly problems: readonly string[];
}

/** All places where something can be added to these texts. */
export const listOfferPlaces = (sets: readonly OfferSet[]): OfferPlace[] =>
  sets.flatMap(({ name, files }) =>
    files.flatMap(({ file, text }) => {
      const { root } = parseSource(createDocument(file, text));
      if (root === null) return [];
      const cut = (start: number, end: number, put: string) => text.slice(0, start) + put + text.slice(end);
      const visit = (node: LocatedNode): OfferPlace[] => {
        const base = { set: name, file, pointer: node.pointer };
        const own: OfferPlace[] = [];
        const isObject = node.type === 'object';
        if (isObject || node.type === 'array') {
          const last = (isObject ? node.members.at(-1)?.value?.end : node.items.at(-1)?.end) ?? null;
          const at = last ?? node.start + 1;
          const put = last === null ? '' : ', ';
          // After a trailing comma nothing more is needed.
          const rest = text.slice(at).replace(/^\s*,/, '');
          const next = text.slice(0, at) + put + rest;
          own.push({ ...base, sort: isObject ? 'member' : 'item', text: next, offset: at + put.length });
        }
        for (const { value } of node.members) {
          if (value === null) continue;
          own.push({
            ...base,
            pointer: value.pointer,
            sort: 'value',
            text: cut(value.start, value.end, ''),
            offset: value.start,
          });
        }
        return [
          ...own,
          ...node.members.flatMap(({ value }) => (value === null ? [] : visit(value))),
          ...node.items.flatMap(visit),
        ];
      };
      return [...visit(root), { set: name, file, pointer: '', sort: 'file' as const, text: '', offset: 0 }];
    }),
  );

export interface OfferChecker {
  rangeAt(place: OfferPlace): Range;
  close(): Promise<void>;
  /** Problems of the unchanged set; valid sets have none. */
  check(set: OfferSet): string[];
  /** Every offer at a place, accepted. */
  acceptAll(
    set: OfferSet,
    place: OfferPlace,
    only?: (items: readonly CompletionItem[]) => readonly CompletionItem[],
  ): Promise<AcceptedOffer[]>;
}

/** A project without files, in which every set is opened in turn. */
export async function createOfferChecker(env: Readonly<Record<string, string>>): Promise<OfferChecker> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'lintel-offers-')));
  await writeFile(
    join(folder, '.env'),
    Object.entries(env)
      .map(([key, value]) => `${key}=${JSON.stringify(value)}\n`)
      .join(''),
  );
  const project = await openProject(folder, { trusted: () => false }).loaded;
  let open: OfferSet | null = null;
  const toPath = (file: string): string => join(folder, file);
  function show(set: OfferSet): void {
    if (open === set) return;
    for (const { file } of open?.files ?? []) project.setText(toPath(file), null);
    for (const { file, text } of set.files) project.setText(toPath(file), text);
    open = set;
  }
  const validate: OfferChecker = {
    rangeAt: ({ text, offset }) => rangeAt(createDocument('', text), offset, offset),
    close: () => rm(folder, { recursive: true, force: true }),
    check(set) {
      show(set);
      return collectComplaints(project).map(describeProblem);
    },
    async acceptAll(set, place, only = (items) => items) {
      show(set);
      const text = set.files.find(({ file }) => file === place.file)?.text ?? '';
      const path = toPath(place.file);
      project.setText(path, text);
      collectComplaints(project);
      // The names of an emptied file are missing already.
      if (place.sort === 'file') project.setText(path, place.file === CONFIG ? '{}' : '[]');
      const before = countByText(collectComplaints(project).map(describeProblem));
      project.setText(path, place.text);
      const view = createDocumentContext(project, path);
      if (view === null) return [];
      const items = only((await completeAt(view, place.offset, Infinity)).items);
      const offers = items.map((item): AcceptedOffer => {
        const { text: accepted, stops } = acceptItem(place.text, item);
        project.setText(path, accepted);
        const left = new Map(before);
        const problems = collectComplaints(project).filter((problem) => {
          const described = describeProblem(problem);
          const count = left.get(described) ?? 0;
          left.set(described, count - 1);
          return count <= 0 && !isAsked(problem, place.file, accepted, stops);
        });
        return { place, label: item.label, text: accepted, problems: problems.map(describeProblem) };
      });
      project.setText(path, text);
      return offers;
    },
  };
  project.setText(join(folder, 'a.json'), '{ "sql_query": { "query": "SELECT 1" } }');
  await project.waitForParser();
  project.setText(join(folder, 'a.json'), null);
  return validate;
}

/** Codes for a missing value. */
const NEEDED = new Set(['SRC_SYNTAX', 'DEF_REQUIRED', 'DEF_EMPTY', 'ACC_TAIL']);

/** True for a problem of the value that a person writes at the first stop of the caret. */
function isAsked({ file, code, range }: Problem, place: string, text: string, [first]: readonly number[]): boolean {
  if (file !== place || first === undefined) return false;
  // No value at all: the text is not JSON yet, and not read to the end.
  if (/:\s*$/.test(text.slice(0, first))) return true;
  const doc = createDocument(file, text);
  return NEEDED.has(code) && offsetAt(doc, range.start) <= first && first <= offsetAt(doc, range.end);
}

const collectComplaints = (project: Project): Problem[] =>
  project.getSnapshot().problems.filter(({ severity }) => severity === 'error' || severity === 'warning');

const describeProblem = ({ file, code, message }: Problem): string => `${file}: ${code} ${message}`;

function countByText(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** The text after an item was accepted; `stops`: where the caret stops without a value being written there. */
function acceptItem(text: string, item: CompletionItem): { readonly text: string; readonly stops: readonly number[] } {
  const edit = item.textEdit as TextEdit;
  const isSnippet = item.insertTextFormat === InsertTextFormat.Snippet;
  const marked = isSnippet ? fillSnippet(edit.newText) : edit.newText;
  const doc = createDocument('', text);
  const toOffset = ({ line, character }: { line: number; character: number }): number =>
    (doc.lineStarts[line] ?? text.length) + character;
  const whole = [{ ...edit, newText: marked }, ...(item.additionalTextEdits ?? [])]
    .map(({ range, newText }) => ({ start: toOffset(range.start), end: toOffset(range.end), newText }))
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((made, { start, end, newText }) => made.slice(0, start) + newText + made.slice(end), text);
  if (!isSnippet) {
    // After the dot of an accessor its name is written.
    const end = toOffset(edit.range.start) + edit.newText.length;
    return { text: whole, stops: edit.newText.endsWith('.') ? [end] : [] };
  }
  const pieces = whole.split(STOP);
  const stops: number[] = [];
  let length = 0;
  for (const piece of pieces.slice(0, -1)) stops.push((length += piece.length));
  return { text: pieces.join(''), stops };
}

const STOP = '\u{f8ff}';

const fillSnippet = (snippet: string): string =>
  snippet
    .replace(/(?<!\\)\$\{\d+\|((?:[^|\\]|\\.)*?)(?:,(?:[^|\\]|\\.)*)?\|\}/g, '$1')
    .replace(/(?<!\\)\$\{\d+:((?:[^}\\]|\\.)*)\}/g, '$1')
    .replace(/(?<!\\)\$(?:\d+|\{\d+\})/g, STOP)
    .replace(/\\([\\$}|,])/g, '$1');
