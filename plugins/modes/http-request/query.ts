/** `application/x-www-form-urlencoded`, for query strings and form bodies. */
import { ExactNumber } from '../../../contract/exact-number.js';
import { createFault } from '../../../contract/fault.js';
import { isObject, type Json } from '../../../contract/json.js';
import type { PlanTools, Reader } from '../../../contract/plan.js';

/** Null without `query`. Null values are omitted; lists repeat their name. */
export function compileQuery(json: Json | undefined, tools: PlanTools): Reader<string> | null {
  if (json === undefined || !isObject(json)) return null;
  const readers = Object.entries(json).map(
    ([name, value]) => [name, getLabel(name, value), tools.value(value)] as const,
  );
  return (frame) => {
    const out = new URLSearchParams();
    for (const [name, label, read] of readers) appendValue(out, name, read(frame), label);
    return out.toString();
  };
}

const getLabel = (name: string, value: Json): string => (typeof value === 'string' ? value : name);

function appendValue(out: URLSearchParams, name: string, value: unknown, label: string): void {
  if (value === null || value === undefined) return;
  for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    const isPlain = ['string', 'number', 'boolean'].includes(typeof item) || item instanceof ExactNumber;
    if (!isPlain)
      throw createFault('OUT_VALUE', { name: label, what: 'must be text, a number, a boolean, or a list of these' });
    const text = String(item);
    if (!text.isWellFormed()) throw createFault('OUT_VALUE', { name: label, what: 'is not well-formed text' });
    out.append(name, text);
  }
}
