/** Removes secret fields from plain data at any depth, except those named by their path. */

import { BLIND } from '../../contract/model.js';
import type { Hide } from '../../contract/plan.js';

const GONE = Symbol('gone');
const SHORTEST = 30;

/**
 * `conceals`: matching strings are removed. `derived`: secret names of expressions. `named`: dotted paths of secrets
 * to keep, without indexes.
 */
export function createHider(
  secrets: ReadonlySet<string> & { readonly derived?: ReadonlySet<string> },
  named: readonly string[],
  conceals: RegExp | null = null,
): Hide {
  const paths = named.map(
    (name) =>
      `.${name
        .split('.')
        .filter((segment) => !/^\d+$/.test(segment))
        .join('.')}`,
  );
  const isNamed = (path: string): boolean => paths.some((name) => name === path || name.startsWith(`${path}.`));

  /** Shorter strings cannot contain a hash. */
  const isConcealed = (value: unknown): boolean =>
    conceals !== null && typeof value === 'string' && value.length >= SHORTEST && conceals.test(value);

  function hideBelow(value: object, path: string): unknown {
    if (Array.isArray(value)) return hideItems(value as readonly unknown[], path);
    if (ArrayBuffer.isView(value)) return value;
    const keys = Object.keys(value);
    let out: [string, unknown][] | null = null;
    for (const [index, key] of keys.entries()) {
      const child = (value as Readonly<Record<string, unknown>>)[key];
      const next = hideMember(key, child, path);
      if (next !== child) out ??= Object.entries(value).slice(0, index);
      if (next !== GONE) out?.push([key, next]);
    }
    return out === null ? value : Object.fromEntries(out);
  }

  function hideMember(key: string, child: unknown, path: string): unknown {
    if (secrets.has(key) && (key.endsWith(BLIND) || !isNamed(`${path}.${key}`))) return GONE;
    // A named secret keeps all inside it; an expression may contain a hash that is not named.
    if (secrets.has(key) && secrets.derived?.has(key) !== true) return child;
    if (isConcealed(child)) return GONE;
    return typeof child === 'object' && child !== null ? hideBelow(child, `${path}.${key}`) : child;
  }

  function hideItems(items: readonly unknown[], path: string): readonly unknown[] {
    let out: unknown[] | null = null;
    for (const [index, item] of items.entries()) {
      const next = typeof item === 'object' && item !== null ? hideBelow(item, path) : isConcealed(item) ? null : item;
      if (next !== item) out ??= [...items];
      if (out !== null) out[index] = next;
    }
    return out ?? items;
  }

  if (secrets.size === 0 && conceals === null) return (value) => value;
  return (value) => {
    if (typeof value === 'object' && value !== null) return hideBelow(value, '');
    return isConcealed(value) ? null : value;
  };
}
