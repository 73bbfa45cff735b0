/**
 * Replaces one value in JSON text with comments. What is equal stays as written; only members and items that differ
 * change.
 */
import { isObject, type Json } from '../../contract/json.js';
import { createDocument, type Document, type TextChange } from './document.js';
import { addItems, addMembers, jsonLine, removeItem, removeMember } from './edit-json.js';
import { findNode, type LocatedNode } from './tree.js';
import { parseSource } from './parse.js';

/** Maximum length of a line with several members. */
const COLUMNS = 100;
/** A short value that begins further right stays in its line. */
const WIDEST = 60;

/** `value` at the JSON pointer. Throws where nothing is. */
export function replaceJson({ file, text }: Document, pointer: string, value: Json): string {
  // -0 and infinite numbers would always differ.
  const wanted = JSON.parse(JSON.stringify(value)) as Json;
  for (let current = createDocument(file, text); ;) {
    const { root } = parseSource(current);
    const found = root === null ? null : findNode(root, pointer);
    if (found === null) throw new Error(`${file} has no value at ${pointer}`);
    const changes = findChanges(current, found.node, wanted);
    if (changes.length === 0) return current.text;
    current = createDocument(file, applyChanges(current.text, changes));
  }
}

/** The first difference; none: the node has the value. */
function findChanges(doc: Document, node: LocatedNode, value: Json): TextChange[] {
  if (node.type === 'array' && Array.isArray(value)) return findItemChanges(doc, node, value as readonly Json[]);
  if (node.type === 'object' && isObject(value)) {
    for (const { key, value: inner } of node.members) {
      const changes = inner === null || !Object.hasOwn(value, key) ? [] : findChanges(doc, inner, value[key] ?? null);
      if (changes.length > 0) return changes;
    }
    const added = Object.entries(value).filter(([name]) => !node.members.some(({ key }) => key === name));
    const start = node.members.at(-1)?.keyStart ?? node.start;
    const texts = added.map(([name, json]) => [name, formatValue(doc, start, json)] as const);
    // Before others are removed, because they take their layout.
    if (texts.length > 0) return [addMembers(doc, node, texts)];
    const gone = node.members.find(({ key }) => !Object.hasOwn(value, key));
    return gone === undefined ? [] : removeMember(doc, node, gone);
  }
  if (node.type !== 'array' && node.type !== 'object' && node.scalar === value) return [];
  return [{ start: node.start, end: node.end, text: formatValue(doc, node.start, value) }];
}

function findItemChanges(doc: Document, node: LocatedNode, value: readonly Json[]): TextChange[] {
  const { items } = node;
  const last = items.at(-1);
  if (last !== undefined && items.length > value.length) return removeItem(doc, node, last);
  for (const [at, item] of items.entries()) {
    const changes = findChanges(doc, item, value[at] ?? null);
    if (changes.length > 0) return changes;
  }
  const added = value.slice(items.length).map((json) => formatValue(doc, last?.start ?? node.start, json));
  return added.length === 0 ? [] : [addItems(doc, node, added)];
}

/** On one line where it fits, otherwise below the line of `start`. */
function formatValue({ text }: Document, start: number, value: Json): string {
  const lineStart = Math.max(text.lastIndexOf('\n', start - 1), text.lastIndexOf('\r', start - 1)) + 1;
  const [indent = ''] = /^[ \t]*/.exec(text.slice(lineStart, start)) ?? [];
  const [, unit = '  '] = /(?:^|[\r\n])(\t| {2,8})(?=\S)/.exec(text) ?? [];
  return formatLines(value, indent, start - lineStart, unit, text.includes('\r\n') ? '\r\n' : '\n');
}

function formatLines(value: Json, indent: string, column: number, unit: string, eol: string): string {
  const line = jsonLine(value);
  if (typeof value !== 'object' || value === null || Math.min(column, WIDEST) + line.length <= COLUMNS) return line;
  const inner = indent + unit;
  const isList = Array.isArray(value);
  const lines = isList
    ? (value as readonly Json[]).map((item) => inner + formatLines(item, inner, inner.length, unit, eol))
    : Object.entries(value).map(([key, item]) => {
        const name = `${inner}${JSON.stringify(key)}: `;
        return name + formatLines(item, inner, name.length, unit, eol);
      });
  return `${isList ? '[' : '{'}${eol}${lines.join(`,${eol}`)}${eol}${indent}${isList ? ']' : '}'}`;
}

const applyChanges = (text: string, changes: readonly TextChange[]): string =>
  [...changes]
    .sort((a, b) => b.start - a.start)
    .reduce((rest, { start, end, text: made }) => rest.slice(0, start) + made + rest.slice(end), text);
