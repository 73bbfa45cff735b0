/** Collects keys that no plugin provides but that have a meaning: missing plugins, and made-up keys. */
import type { Kind } from '../../contract/kind.js';
import type { CommonMistakes, Correction } from '../../contract/common-mistakes.js';
import type { Registry, MissingPlugin } from './registry.js';

export interface KeyHints {
  readonly mistaken: Map<string, Correction>;
  readonly expected: Map<string, MissingPlugin>;
  readonly tolerated: Set<string>;
}

export function addCommonMistakes({ mistaken }: KeyHints, forms: CommonMistakes | undefined): void {
  for (const [key, right] of Object.entries(forms ?? {})) {
    if (!mistaken.has(key)) mistaken.set(key, typeof right === 'string' ? { say: right } : right);
  }
}

export const isMissingPlugin = (registry: Registry, kind: string, name: string): boolean =>
  Object.hasOwn(registry.kind(kind)?.expected ?? {}, name) && registry.plugin(kind, name) === undefined;

export function addMissingPlugins(
  registry: Registry,
  hints: KeyHints,
  kind: Kind,
  slot: string,
  chosenName: (kind: Kind) => string,
): void {
  addCommonMistakes(hints, kind.mistaken?.[slot]);
  for (const [name, bySlot] of Object.entries(kind.expected ?? {})) {
    if (registry.plugin(kind.kind, name) !== undefined) continue;
    const absent = { kind: kind.kind, name };
    if (kind.select.by === 'key') hints.expected.set(name, absent);
    // The selector reports the unknown name already.
    const chosen = kind.select.by === 'field' && chosenName(kind) === name;
    for (const field of bySlot[slot] ?? []) {
      if (chosen) hints.tolerated.add(field);
      else hints.expected.set(field, absent);
    }
  }
}
