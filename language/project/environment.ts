/** Reads `.env`, and derives facts about variables without values. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { EnvFact } from '../../contract/plugin.js';
import type { EnvFacts } from '../analysis/checks/accessors.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Empty where the file cannot be read. */
export async function readEnvFile(folder: string): Promise<Environment> {
  try {
    return parseEnv(await readFile(join(folder, '.env'), 'utf8'));
  } catch {
    return {};
  }
}

/** An empty variable counts as unset, because it is never intended. */
export function createEnvFacts(env: Environment): EnvFacts {
  const first = new Map<string, string>();
  for (const [name, value] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1)))
    if (value !== undefined && !first.has(value)) first.set(value, name);
  return new Map(
    Object.entries(env).flatMap(([name, value]): [string, EnvFact][] => {
      if (value === undefined || value === '') return [];
      const same = first.get(value);
      const fact = { length: [...value].length, bytes: Buffer.byteLength(value), blank: value.trim() === '' };
      return [[name, same === undefined || same === name ? fact : { ...fact, sameAs: same }]];
    }),
  );
}
