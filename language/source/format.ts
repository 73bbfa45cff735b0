/** Formats JSON text with comments: one member per line, short objects and lists on one. Changes only white space. */
import { format } from 'jsonc-parser';
import type { Document, TextChange } from './document.js';
import type { LocatedNode, SourceTree } from './tree.js';

export interface Layout {
  /** Columns per indentation level. */
  readonly size: number;
  /** Indents with spaces instead of tabs. */
  readonly spaces: boolean;
  /** Undefined leaves the end of the text unchanged. */
  readonly finalBreak?: boolean | undefined;
}

/** Maximum length of a line. */
const COLUMNS = 100;
/** Maximum nesting of objects and lists on one line. */
const LEVELS = 2;

/** In text order; none for invalid text. `span`: only its lines. */
export function formatDocument(doc: Document, { root, faults }: SourceTree, layout: Layout, span?: Span): TextChange[] {
  if (root === null || faults.some(({ code }) => code !== 'SRC_DUPLICATE_KEY')) return [];
  const { text } = doc;
  const short: Span[] = [];
  collectShort(doc, root, layout, 0, '', short);
  const range = span && { offset: span.start, length: span.end - span.start };
  // The formatter sees a space instead of the byte order mark.
  const mark = text.charCodeAt(0) === 0xfeff;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const read = mark ? ` ${text.slice(1)}` : text;
  const made = format(read, range, { tabSize: layout.size, insertSpaces: layout.spaces, eol })
    .map(({ offset, length, content }) => ({ start: offset, end: offset + length, text: content }))
    .map((change) => (mark && change.start === 0 ? { ...change, start: Math.min(1, change.end) } : change));
  const outside = excludeSpans(made, short);
  const inside = short.filter(({ start, end }) => span === undefined || (start >= span.start && end <= span.end));
  const tidy = inside.flatMap((one) => formatOneLine(text, one));
  const last =
    span === undefined && layout.finalBreak !== undefined ? formatEnd(text, root, layout.finalBreak, eol) : [];
  // Changes at the end of the text depend on `finalBreak` alone.
  const body = outside.filter(({ end }) => end < text.length);
  return [...body, ...last, ...tidy]
    .filter(({ start, end, text: now }) => text.slice(start, end) !== now)
    .sort((a, b) => a.start - b.start);
}

/** Both lists are in text order. */
function excludeSpans(changes: readonly TextChange[], spans: readonly Span[]): TextChange[] {
  let next = 0;
  return changes.filter(({ start, end }) => {
    while ((spans[next]?.end ?? Infinity) <= start) next++;
    const span = spans[next];
    return span === undefined || span.start >= end || start >= span.end;
  });
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The outermost objects and lists that stay on one line. */
function collectShort(
  doc: Document,
  node: LocatedNode,
  layout: Layout,
  depth: number,
  before: string,
  found: Span[],
): void {
  const count = node.members.length + node.items.length;
  if (count === 0) return;
  if (depth > 0 && getHeight(node) <= LEVELS && isOneLine(doc, node)) {
    const width = depth * layout.size + before.length + formatNode(doc.text, node).length + 1;
    if (width <= COLUMNS) {
      found.push({ start: node.start, end: node.end });
      return;
    }
  }
  for (const item of node.items) collectShort(doc, item, layout, depth + 1, '', found);
  for (const { keyStart, keyEnd, value } of node.members) {
    if (value !== null) collectShort(doc, value, layout, depth + 1, `${doc.text.slice(keyStart, keyEnd)}: `, found);
  }
}

function getHeight(node: LocatedNode): number {
  const inner = [...node.items, ...node.members.flatMap(({ value }) => (value === null ? [] : [value]))];
  return inner.length === 0 ? 0 : 1 + Math.max(...inner.map(getHeight));
}

/** No line break and no comment between the tokens. */
function isOneLine({ text }: Document, node: LocatedNode): boolean {
  return listGaps(node).every(({ start, end }) => /^[ \t{}[\],:]*$/.test(text.slice(start, end)));
}

/** The text between names and scalars. */
function listGaps(node: LocatedNode): Span[] {
  const gaps: Span[] = [];
  let at = node.start;
  const addToken = (start: number, end: number): void => {
    gaps.push({ start: at, end: start });
    at = end;
  };
  const visit = (one: LocatedNode): void => {
    if (one.type !== 'object' && one.type !== 'array') addToken(one.start, one.end);
    one.items.forEach(visit);
    for (const { keyStart, keyEnd, value } of one.members) {
      addToken(keyStart, keyEnd);
      if (value !== null) visit(value);
    }
  };
  visit(node);
  gaps.push({ start: at, end: node.end });
  return gaps;
}

/** Spacing as in `{ "a": [1, 2] }`. */
const normalizeSpacing = (gap: string): string =>
  gap
    .replace(/[ \t]/g, '')
    .replace(/,(?=[}\]])/g, '')
    .replace(/[{}:,]/g, (sign) => (sign === '{' ? '{ ' : sign === '}' ? ' }' : `${sign} `))
    .replace(/\{ {2}\}/g, '{}')
    .replace(/ +/g, ' ');

/** The formatted node. Gaps contain only punctuation, so values never change. */
function formatNode(text: string, node: LocatedNode): string {
  let at = node.start;
  let made = '';
  for (const { start, end } of listGaps(node)) {
    made += text.slice(at, start) + normalizeSpacing(text.slice(start, end));
    at = end;
  }
  return made;
}

function formatOneLine(text: string, span: Span): TextChange[] {
  const changes: TextChange[] = [];
  let at = span.start;
  while (at < span.end) {
    const end = findGapEnd(text, at, span.end);
    const gap = text.slice(at, end);
    changes.push({ start: at, end, text: normalizeSpacing(gap) });
    at = findTokenEnd(text, end, span.end);
  }
  return changes;
}

function findGapEnd(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && /[ \t{}[\],:]/.test(text[at] ?? '')) at++;
  return at;
}

function findTokenEnd(text: string, from: number, end: number): number {
  let at = from;
  if (text[at] === '"') {
    for (at++; at < end && text[at] !== '"'; at++) if (text[at] === '\\') at++;
    return Math.min(at + 1, end);
  }
  while (at < end && !/[ \t{}[\],:]/.test(text[at] ?? '')) at++;
  return at;
}

function formatEnd(text: string, root: LocatedNode, isBroken: boolean, eol: string): TextChange[] {
  const start = Math.max(root.end, text.trimEnd().length);
  return [{ start, end: text.length, text: isBroken ? eol : '' }];
}
