/** Names that stand for nothing and that people write all the same; each plugin brings those of its own subject. */
import type { Registry } from './registry.js';

export interface InventedName {
  /** The end of a sentence. */
  readonly say: string;
  /** The actionable that is meant. */
  readonly action: number;
}

/** `name` without a dollar sign. Null when no plugin knows it. */
export function inventedName(registry: Registry, name: string): InventedName | null {
  for (const { invented } of registry.plugins.values()) {
    for (const { pattern, say } of invented ?? []) {
      const match = new RegExp(`^(?:${pattern})$`, 'i').exec(name);
      if (match === null) continue;
      const filled = say.replace(/\{(\d)\}/g, (_, group: string) => match[Number(group)] ?? 'self_');
      return { say: filled, action: Number(match[1]) };
    }
  }
  return null;
}
