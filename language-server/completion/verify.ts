/**
 * Keeps the offers that check clean: each one is accepted in a copy of the text, which must have no more errors and warnings than before.
 */
import type { CompletionItem, TextEdit } from 'vscode-languageserver';
import { createDocument, rangeAt } from '../../language/source/document.js';
import type { Problem } from '../../contract/problem.js';
import { deferUntilIdle, FIRST_TURN_MS, startTurn } from '../defer-until-idle.js';
import { CompletionItemKind, InsertTextFormat } from '../protocol.js';
import { statementAt } from '../queries/query-context.js';
import { escapeSnippet } from './edit.js';
import type { CursorContext, DocumentContext } from '../document-context.js';

/** Longer texts are not tried. */
const MOST = 100_000;

/** Codes of a value that is still missing: a person writes it where the caret stops. */
const NEEDED: ReadonlySet<string> = new Set(['SRC_SYNTAX', 'DEF_REQUIRED', 'DEF_EMPTY', 'ACC_TAIL']);

/** An item with other texts to insert, which are tried in this order if its own does not check clean. */
export interface OfferData {
  readonly instead: () => readonly string[];
}

export interface VerifiedOffers {
  readonly items: CompletionItem[];
  /** False if the time was not enough for all of them. */
  readonly isComplete: boolean;
}

/** How an item fits to what is typed. */
const [BEGINS, HAS, OTHER] = [0, 1, 2];
const OTHER_SHARE = 6;

/** `time`: milliseconds. Requests are answered in between; a changed text ends it. */
export async function verifyOffers(
  view: DocumentContext,
  site: CursorContext,
  items: readonly CompletionItem[],
  time: number,
): Promise<VerifiedOffers> {
  const { project, name, doc } = view;
  if (doc.text.length > MOST || items.length === 0) return { items: items.map(withoutData), isComplete: true };
  const checker = createOfferChecker(view, site.cursor.offset);
  const isInStatement = site.inside !== null && statementAt(view, site) !== null;
  // A word of a statement is the beginning of more. Among errors an item may be part of their solution.
  const isFree = ({ kind }: CompletionItem): boolean =>
    !checker.isStrict || (isInStatement && kind !== CompletionItemKind.Snippet);
  const begun = performance.now();
  const given = project.getText(name);
  const compare = createTypedComparison(view, site.cursor.offset);
  const order = items
    .map((item) => ({ item, fit: compare(item), rank: item.sortText ?? item.label }))
    .sort((a, b) => a.fit - b.fit || (a.rank < b.rank ? -1 : 1));
  const kept: CompletionItem[] = [];
  let isOver = startTurn(FIRST_TURN_MS);
  for (const [i, { item, fit }] of order.entries()) {
    if (isFree(item)) {
      kept.push(withoutData(item));
      continue;
    }
    // On a slow machine no item that fits may be missing; the next letter tries again.
    const until = begun + (fit === OTHER ? time / OTHER_SHARE : time);
    const isLate = performance.now() > until || project.getText(name) !== given;
    const found = i > 0 && isLate ? undefined : checker.findClean(item, i === 0 ? Infinity : until);
    if (found === undefined) {
      const rest = order.slice(i).filter((one) => one.fit !== OTHER || isFree(one.item));
      return { items: [...kept, ...rest.map((one) => withoutData(one.item))], isComplete: false };
    }
    if (found !== null) kept.push(found);
    if (isOver()) {
      await new Promise<void>((resolve) => deferUntilIdle(resolve));
      isOver = startTurn();
    }
  }
  return { items: kept, isComplete: true };
}

/** Where nothing is typed, each item fits. */
function createTypedComparison({ doc }: DocumentContext, offset: number): (item: CompletionItem) => number {
  return ({ label, filterText = label, textEdit }) => {
    if (textEdit === undefined || !('range' in textEdit)) return HAS;
    const typed = doc.text.slice(toOffset(doc, textEdit.range.start), offset).replaceAll('"', '').toLowerCase();
    const words = filterText.replaceAll('"', '').toLowerCase();
    if (typed !== '' && words.startsWith(typed)) return BEGINS;
    let at = 0;
    for (const letter of words) if (letter === typed[at]) at++;
    return at === typed.length ? HAS : OTHER;
  };
}

const withoutData = ({ data: _, ...item }: CompletionItem): CompletionItem => item;

function* listTexts(item: CompletionItem): Generator<CompletionItem> {
  const { textEdit } = item;
  const { instead } = (item.data ?? {}) as Partial<OfferData>;
  yield item;
  if (textEdit === undefined || instead === undefined) return;
  const tried = new Set([textEdit.newText]);
  for (const newText of instead()) {
    if (tried.has(newText)) continue;
    tried.add(newText);
    yield { ...item, textEdit: { ...textEdit, newText } };
  }
}

interface OfferChecker {
  /** True if the text was sound before, so that an offer must leave it sound. */
  readonly isStrict: boolean;
  /** The item with a text that checks clean; null if none does, undefined if time is over. */
  findClean(item: CompletionItem, until: number): CompletionItem | null | undefined;
}

function createOfferChecker(view: DocumentContext, offset: number): OfferChecker {
  const { doc, project, name } = view;
  const isInvalid = project
    .findNewProblems(name, doc.text, [])
    .some(({ severity, file }) => severity === 'error' && file === doc.file);
  const sound = project.getSoundText(name);
  // What names the definitions of an emptied file is wrong already.
  const empty = doc.text.trim() === '' ? '[]' : null;
  const isNear = isInvalid && sound !== null && isChangedAt(sound, doc.text, offset);
  const isStrict = isNear || empty !== null || !isInvalid;
  const before = empty ?? (isNear ? sound : doc.text);

  /** Problems that are to blame on an item. Where it leaves no value, only those of what it writes. */
  function findBlame(made: AcceptedText): readonly Problem[] {
    const after = createDocument(doc.file, made.text);
    const isInside = ({ file, range }: Problem, start: number, end: number): boolean => {
      if (file !== doc.file) return false;
      const whole = rangeAt(after, start, end);
      return isBefore(range.start, whole.end) && isBefore(whole.start, range.end);
    };
    return project.findNewProblems(name, made.text, [before]).filter((problem) => {
      if (made.isValueMissing && !isInside(problem, made.start, made.end)) return false;
      return made.stop === null || !NEEDED.has(problem.code) || !isInside(problem, made.stop, made.stop);
    });
  }

  return {
    isStrict,
    findClean(item, until) {
      for (const one of listTexts(item)) {
        if (performance.now() > until) return undefined;
        const made = acceptItem(doc, one);
        const blame = findBlame(made);
        if (blame.length === 0) return withoutData(one);
        const completed = withCompletingFixes(view, one, made, blame);
        if (completed !== null && findBlame(acceptItem(doc, completed)).length === 0) return withoutData(completed);
      }
      return null;
    },
  };
}

/** The item together with what its problems ask for: fixes that only insert, outside of what it writes. */
function withCompletingFixes(
  view: DocumentContext,
  item: CompletionItem,
  made: AcceptedText,
  problems: readonly Problem[],
): CompletionItem | null {
  const { doc } = view;
  const after = createDocument(doc.file, made.text);
  const added: TextEdit[] = [];
  let behind = '';
  for (const { fix } of problems) {
    if (fix === undefined || fix.file !== doc.file || fix.more !== undefined) return null;
    const start = toOffset(after, fix.range.start);
    if (start !== toOffset(after, fix.range.end)) return null;
    if (start > made.start && start < made.end) return null;
    const at = start <= made.start ? start : start - made.grown;
    if (!added.some(({ newText }) => newText === fix.text))
      added.push({ range: view.range(at, at), newText: fix.text });
    if (start === made.end) behind = fix.text;
    else if (start === made.start) return null;
  }
  const { textEdit } = item;
  if (textEdit === undefined || added.length === 0) return null;
  if (behind === '') return { ...item, additionalTextEdits: [...(item.additionalTextEdits ?? []), ...added] };
  if (added.length > 1) return null;
  const isSnippet = item.insertTextFormat === InsertTextFormat.Snippet;
  const newText = textEdit.newText + (isSnippet ? escapeSnippet(behind) : behind);
  return { ...item, textEdit: { ...textEdit, newText } };
}

const isBefore = (a: Problem['range']['start'], b: Problem['range']['start']): boolean =>
  a.line < b.line || (a.line === b.line && a.character <= b.character);

/** At most one half-typed name or value. */
const ONE_TOKEN = /^[\s,]*"?[\w$./-]*"?[\s,:]*$/;

/** True if the caret stands where the texts differ, and nothing was added but what is being typed. */
function isChangedAt(before: string, now: string, offset: number): boolean {
  // What follows the caret first: an entry in front of another begins like it.
  let end = 0;
  while (end < now.length - offset && end < before.length && before.at(-1 - end) === now.at(-1 - end)) end++;
  let start = 0;
  while (start < Math.min(before.length, now.length) - end && before[start] === now[start]) start++;
  return start <= offset && ONE_TOKEN.test(now.slice(start, now.length - end));
}

interface AcceptedText {
  readonly text: string;
  /** What the item wrote. */
  readonly start: number;
  readonly end: number;
  /** Characters more than before. */
  readonly grown: number;
  /** Where the caret stops without a value; null if there is no such place. */
  readonly stop: number | null;
  /** The text is not JSON until a value is written there. */
  readonly isValueMissing: boolean;
}

function acceptItem(
  doc: DocumentContext['doc'],
  { textEdit, additionalTextEdits, insertTextFormat }: CompletionItem,
): AcceptedText {
  const main = textEdit as TextEdit;
  const isSnippet = insertTextFormat === InsertTextFormat.Snippet;
  const edits = [main, ...(additionalTextEdits ?? [])].map((edit) => ({
    start: toOffset(doc, edit.range.start),
    end: toOffset(doc, edit.range.end),
    written:
      isSnippet && edit === main
        ? fillSnippet(edit.newText)
        : { text: edit.newText, stop: edit === main && edit.newText.endsWith('.') ? edit.newText.length : null },
    isMain: edit === main,
  }));
  edits.sort((a, b) => a.start - b.start || a.end - b.end);
  let text = '';
  let at = 0;
  let [start, end] = [0, 0];
  let stop: number | null = null;
  for (const edit of edits) {
    text += doc.text.slice(at, edit.start);
    if (edit.isMain) {
      start = text.length;
      end = start + edit.written.text.length;
      stop = edit.written.stop === null ? null : start + edit.written.stop;
    }
    text += edit.written.text;
    at = edit.end;
  }
  text += doc.text.slice(at);
  const isValueMissing = stop !== null && /:\s*$/.test(text.slice(start, stop));
  return { text, start, end, grown: text.length - doc.text.length, stop, isValueMissing };
}

const toOffset = (
  { lineStarts, text }: DocumentContext['doc'],
  { line, character }: Problem['range']['start'],
): number => (lineStarts[line] ?? text.length) + character;

const STOPS = /\\([\\$}|,])|\$\{(\d+)\|((?:[^,|\\]|\\.)*)(?:[^|\\]|\\.)*\|\}|\$\{(\d+):((?:[^}\\]|\\.)*)\}|\$(\d+)/g;

/** The text of a snippet, and its first place without a value. */
function fillSnippet(snippet: string): { readonly text: string; readonly stop: number | null } {
  let text = '';
  let at = 0;
  let first = Infinity;
  let stop: number | null = null;
  for (const match of snippet.matchAll(STOPS)) {
    const [whole, plain, , choice, , value, empty] = match;
    text += snippet.slice(at, match.index);
    at = match.index + whole.length;
    if (empty !== undefined) {
      if (Number(empty) < first) [first, stop] = [Number(empty), text.length];
    } else text += plain ?? (choice ?? value ?? '').replace(/\\([\\$}|,])/g, '$1');
  }
  return { text: text + snippet.slice(at), stop };
}
