/** Markdown helpers: tables, code, JSON. Independent of plugins. */
import type { Json } from '../../contract/json.js';

/** Escapes text that would end the cell. */
const cell = (text: string): string =>
  text
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim();

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const code = (text: string): string => `\`${text}\``;

/** The anchor that GitHub and editors generate for a heading. */
export const anchor = (name: string): string => `#${name.toLowerCase().replace(/[^\p{L}\p{N}_-]/gu, '')}`;

export const fenced = (json: Json): string => `\`\`\`json\n${compact(json, 0)}\n\`\`\``;

const WIDTH = 100;

function compact(json: Json, depth: number): string {
  const flat = oneLine(json);
  if (typeof json !== 'object' || json === null || flat.length + depth * 2 <= WIDTH) return flat;
  const indent = '  '.repeat(depth + 1);
  const end = '  '.repeat(depth);
  if (Array.isArray(json)) {
    const items = (json as readonly Json[]).map((item) => indent + compact(item, depth + 1));
    return `[\n${items.join(',\n')}\n${end}]`;
  }
  const members = Object.entries(json).map(
    ([key, value]) => `${indent}${JSON.stringify(key)}: ${compact(value, depth + 1)}`,
  );
  return `{\n${members.join(',\n')}\n${end}}`;
}

function oneLine(json: Json): string {
  if (Array.isArray(json)) return `[${(json as readonly Json[]).map(oneLine).join(', ')}]`;
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  const members = Object.entries(json).map(([key, value]) => `${JSON.stringify(key)}: ${oneLine(value)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** `Field type` → `field type`; acronyms stay: `SQL dialect`. */
export const midSentence = (title: string): string =>
  title.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

export const blocks = (...parts: readonly (string | readonly string[])[]): string =>
  parts
    .flat()
    .filter((part) => part !== '')
    .join('\n\n');
