/** Names that stand for nothing and that people write all the same; each plugin brings those of its own subject. */
import { linearPattern, type LinearPattern } from '../language/linear-pattern.js';
import type { Registry } from './registry.js';

export interface InventedName {
  /** The end of a sentence. */
  readonly say: string;
  /** The actionable that is meant. */
  readonly action: number;
}

type Form = readonly [pattern: LinearPattern, say: string];

/** The patterns of a registry, compiled once. */
const compiled = new WeakMap<Registry, readonly Form[]>();

function formsOf(registry: Registry): readonly Form[] {
  const known = compiled.get(registry);
  if (known !== undefined) return known;
  const forms = [...registry.plugins.values()].flatMap(({ invented }) =>
    (invented ?? []).map(({ pattern, say }): Form => [linearPattern(`^(?:${pattern})$`, 'i'), say]),
  );
  compiled.set(registry, forms);
  return forms;
}

/** `name` without a dollar sign. Null when no plugin knows it. */
export function inventedName(registry: Registry, name: string): InventedName | null {
  for (const [pattern, say] of formsOf(registry)) {
    const groups = pattern.exec(name)?.groups;
    if (groups === undefined) continue;
    const filled = say.replace(/\{(\d)\}/g, (_, group: string) => groups[Number(group)] ?? 'self_');
    return { say: filled, action: Number(groups[1]) };
  }
  return null;
}
