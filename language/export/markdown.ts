/** Markdown helpers: tables, code, JSON. Independent of plugins. */
import type { Json } from '../../contract/json.js';

const escapeCell = (text: string): string =>
  text
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim();

export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const formatRow = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [formatRow(head), formatRow(head.map(() => '---')), ...rows.map(formatRow)].join('\n');
}

export const formatCode = (text: string): string => `\`${text}\``;

/** The anchor that GitHub and editors generate for a heading. */
export const toAnchor = (name: string): string => `#${name.toLowerCase().replace(/[^\p{L}\p{N}_-]/gu, '')}`;

export const formatJsonBlock = (json: Json): string => `\`\`\`json\n${formatCompact(json, 0)}\n\`\`\``;

const WIDTH = 100;

function formatCompact(json: Json, depth: number): string {
  const flat = formatOneLine(json);
  if (typeof json !== 'object' || json === null || flat.length + depth * 2 <= WIDTH) return flat;
  const indent = '  '.repeat(depth + 1);
  const end = '  '.repeat(depth);
  if (Array.isArray(json)) {
    const items = (json as readonly Json[]).map((item) => indent + formatCompact(item, depth + 1));
    return `[\n${items.join(',\n')}\n${end}]`;
  }
  const members = Object.entries(json).map(
    ([key, value]) => `${indent}${JSON.stringify(key)}: ${formatCompact(value, depth + 1)}`,
  );
  return `{\n${members.join(',\n')}\n${end}}`;
}

function formatOneLine(json: Json): string {
  if (Array.isArray(json)) return `[${(json as readonly Json[]).map(formatOneLine).join(', ')}]`;
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  const members = Object.entries(json).map(([key, value]) => `${JSON.stringify(key)}: ${formatOneLine(value)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** `Field type` → `field type`; acronyms stay: `SQL dialect`. */
export const toMidSentence = (title: string): string =>
  title.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

export const joinBlocks = (...parts: readonly (string | readonly string[])[]): string =>
  parts
    .flat()
    .filter((part) => part !== '')
    .join('\n\n');
