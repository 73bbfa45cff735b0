/** What is known of a project's environment: the file `.env` beside the config, and what may be told of its values. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { EnvFact } from '../contract/plugin.js';
import type { EnvFacts } from '../analysis/checks/accessors.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of `.env` in a folder; none where it cannot be read. */
export async function readEnvFile(folder: string): Promise<Environment> {
  try {
    return parseEnv(await readFile(join(folder, '.env'), 'utf8'));
  } catch {
    return {};
  }
}

/** A variable that is set to nothing is not set: an empty key or address is never what was meant. No values leave here. */
export const envFacts = (env: Environment): EnvFacts =>
  new Map(
    Object.entries(env).flatMap(([name, value]): [string, EnvFact][] =>
      value === undefined || value === ''
        ? []
        : [[name, { length: [...value].length, bytes: Buffer.byteLength(value), blank: value.trim() === '' }]],
    ),
  );
