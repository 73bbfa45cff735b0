/** JSON as the body of a snippet: laid out as people write it, with a stop of the caret at each value to be replaced. */
import type { Json } from '../../kernel/contract/json.js';

const WIDTH = 90;

export interface Stops {
  /** A value that stays: it chooses what stands around it. */
  readonly isFixed: (key: string) => boolean;
  next: number;
}

/** What has a meaning in snippets, taken literally; a closing brace has one only inside a stop. */
export const literally = (text: string): string => text.replace(/[\\$]/g, '\\$&');

export const stop = (stops: Stops, text: string): string => `\${${stops.next++}:${text.replace(/[\\$}]/g, '\\$&')}}`;

/** One text; lines begin with tabs, which editors turn into their own indentation. */
export function snippetText(json: Json, stops: Stops, depth = 0, key = ''): string {
  if (typeof json !== 'object' || json === null) return scalar(json, stops, key);
  const isList = Array.isArray(json);
  const entries = isList ? json.map((item) => [key, item as Json] as const) : Object.entries(json as object);
  const isFlat = JSON.stringify(json).length + entries.length + depth * 2 <= WIDTH;
  const parts = entries.map(([name, value]) => {
    const text = snippetText(value as Json, stops, depth + 1, name);
    return isList ? text : `${literally(JSON.stringify(name))}: ${text}`;
  });
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return open + close;
  if (isFlat) return isList ? `${open}${parts.join(', ')}${close}` : `${open} ${parts.join(', ')} ${close}`;
  const indent = '\t'.repeat(depth + 1);
  return `${open}\n${parts.map((part) => indent + part).join(',\n')}\n${'\t'.repeat(depth)}${close}`;
}

function scalar(json: string | number | boolean | null, stops: Stops, key: string): string {
  if (stops.isFixed(key) || typeof json === 'boolean' || json === null) return literally(JSON.stringify(json));
  if (typeof json === 'number') return stop(stops, String(json));
  // Inside the quotes: they stay when the value is replaced.
  return `"${stop(stops, JSON.stringify(json).slice(1, -1))}"`;
}
