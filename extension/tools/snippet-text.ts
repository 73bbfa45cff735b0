/** Formats JSON as a snippet body with a tab stop at each replaceable value. */
import type { Json } from '../../contract/json.js';

const WIDTH = 90;

export interface Stops {
  /** The value of this key is written literally, because it selects the fields around it. */
  readonly isFixed: (key: string) => boolean;
  next: number;
}

/** Escapes snippet syntax outside of tab stops; `}` needs no escape there. */
export const literally = (text: string): string => text.replace(/[\\$]/g, '\\$&');

export const stop = (stops: Stops, text: string): string => `\${${stops.next++}:${text.replace(/[\\$}]/g, '\\$&')}}`;

/** Lines are indented with tabs, which editors convert. */
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
  // The stop is inside the quotes, so they remain when the value is replaced.
  return `"${stop(stops, JSON.stringify(json).slice(1, -1))}"`;
}
