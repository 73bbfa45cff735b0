/** Made-up accessor names; plugins list those of their subject. */
import { compileLinearPattern, type LinearPattern } from '../strings/linear-pattern.js';
import type { Registry } from './registry.js';

export interface InventedName {
  /** A clause that completes the message. */
  readonly say: string;
  /** The id of the intended actionable. */
  readonly action: number;
}

type Form = readonly [pattern: LinearPattern, say: string];

const compiled = new WeakMap<Registry, readonly Form[]>();

function compileForms(registry: Registry): readonly Form[] {
  const known = compiled.get(registry);
  if (known !== undefined) return known;
  const forms = [...registry.plugins.values()].flatMap(({ invented }) =>
    (invented ?? []).map(({ pattern, say }): Form => [compileLinearPattern(`^(?:${pattern})$`, 'i'), say]),
  );
  compiled.set(registry, forms);
  return forms;
}

/** `name` has no leading dollar sign. */
export function findInventedName(registry: Registry, name: string): InventedName | null {
  for (const [pattern, say] of compileForms(registry)) {
    const groups = pattern.exec(name)?.groups;
    if (groups === undefined) continue;
    const filled = say.replace(/\{(\d)\}/g, (_, group: string) => groups[Number(group)] ?? 'self_');
    return { say: filled, action: Number(groups[1]) };
  }
  return null;
}
