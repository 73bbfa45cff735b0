/** Edits JSON text with comments: added members follow the layout of their siblings. Works on incomplete text. */
import { createScanner } from 'jsonc-parser';
import type { Json } from '../../contract/json.js';
import type { Document, TextChange } from './document.js';
import type { LocatedNode, Member } from './tree.js';

type Span = Pick<LocatedNode, 'start' | 'end'>;

/** `members`: pairs of name and JSON text. */
export function addMembers(
  doc: Document,
  node: LocatedNode,
  members: readonly (readonly [name: string, json: string])[],
): TextChange {
  const last = node.members.at(-1);
  const first = node.members[0];
  const texts = members.map(([name, json]) => `${JSON.stringify(name)}: ${json}`);
  return createInsertion(
    doc,
    node,
    first && { start: first.keyStart, end: getMemberEnd(first) },
    last && getMemberEnd(last),
    texts,
  );
}

/** `items`: JSON texts. */
export const addItems = (doc: Document, node: LocatedNode, items: readonly string[]): TextChange =>
  createInsertion(doc, node, node.items[0], node.items.at(-1)?.end, items);

export const removeMember = (doc: Document, node: LocatedNode, member: Member): TextChange[] =>
  createRemoval(
    doc,
    node.members.map((one) => ({ start: one.keyStart, end: getMemberEnd(one) })),
    node.members.indexOf(member),
  );

export const removeItem = (doc: Document, node: LocatedNode, item: LocatedNode): TextChange[] =>
  createRemoval(doc, node.items, node.items.indexOf(item));

/** The object with a member name that starts at `keyStart`. */
export function findHolder(node: LocatedNode, keyStart: number): { node: LocatedNode; member: Member } | null {
  for (const member of node.members) {
    if (member.keyStart === keyStart) return { node, member };
    const { value } = member;
    if (value !== null && value.start <= keyStart && keyStart < value.end) return findHolder(value, keyStart);
  }
  const item = node.items.find(({ start, end }) => start <= keyStart && keyStart < end);
  return item === undefined ? null : findHolder(item, keyStart);
}

const getMemberEnd = ({ keyEnd, value }: Member): number => value?.end ?? keyEnd;

function createInsertion(
  doc: Document,
  node: LocatedNode,
  first: Span | undefined,
  last: number | undefined,
  texts: readonly string[],
): TextChange {
  const { text } = doc;
  const lead = first === undefined ? '' : text.slice(node.start + 1, first.start);
  // The layout of the first element: on its own line, or on that of the others.
  const indent = /(?:^|\r\n|\r|\n)([ \t]*)$/.exec(lead)?.[1];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = indent !== undefined && /[\r\n]/.test(lead) ? `${eol}${indent}` : ' ';
  if (last === undefined) {
    const isObject = node.type === 'object';
    const body = texts.join(', ');
    const inner = text.slice(node.start + 1, Math.max(node.start + 1, node.end - 1));
    // Comments inside are kept.
    if (inner.trim() !== '') return { start: node.start + 1, end: node.start + 1, text: isObject ? ` ${body}` : body };
    return { start: node.start + 1, end: node.start + 1 + inner.length, text: isObject ? ` ${body} ` : body };
  }
  return { start: last, end: last, text: texts.map((one) => `,${gap}${one}`).join('') };
}

function createRemoval({ text }: Document, spans: readonly Span[], index: number): TextChange[] {
  const span = spans[index];
  if (span === undefined) return [];
  const comma = findComma(text, span.end);
  let { start } = span;
  let end = comma === null ? span.end : comma + 1;
  const lineStart = Math.max(text.lastIndexOf('\n', start - 1), text.lastIndexOf('\r', start - 1)) + 1;
  const isAlone = text.slice(lineStart, start).trim() === '' && /^[ \t]*(\r\n|\r|\n)/.test(text.slice(end));
  if (isAlone) {
    start = lineStart;
    end += /^[ \t]*(\r\n|\r|\n)/.exec(text.slice(end))?.[0].length ?? 0;
  } else if (comma !== null && spans[index + 1] !== undefined) end += /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  const before = spans[index - 1];
  const isLast = spans[index + 1] === undefined;
  if (!isLast || comma !== null || before === undefined) return [{ start, end, text: '' }];
  const open = findComma(text, before.end);
  if (open === null) return [{ start, end, text: '' }];
  // Only white space in between: one change suffices.
  if (text.slice(open + 1, span.start).trim() === '') return [{ start: open, end: span.end, text: '' }];
  return [
    { start: open, end: open + 1, text: '' },
    { start, end, text: '' },
  ];
}

function findComma(text: string, offset: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  return (scanner.scan() as number) === 5 /* comma */ ? scanner.getTokenOffset() : null;
}

/** Formats JSON on one line: `{ "a": [1, 2] }`. */
export function jsonLine(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(jsonLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${jsonLine(inner)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
