/**
 * Names of environment variables that a project knows, and where they stand: the keys of `.env.example` and `.env`. Values
 * are dropped with the line they stand in; none is kept, sent or logged.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface EnvPlace {
  /** Absolute name of the file. */
  readonly file: string;
  /** Zero-based. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export interface EnvNames {
  readonly names: readonly string[];
  placesOf(name: string): readonly EnvPlace[];
  refresh(): Promise<void>;
}

/** Where they are looked for, the one that documents them first. */
const ENV_FILES = ['.env.example', '.env'];

export function createEnvNames(folder: string): EnvNames {
  let places = new Map<string, EnvPlace[]>();
  return {
    get names() {
      return [...places.keys()];
    },
    placesOf: (name) => places.get(name) ?? [],
    async refresh() {
      const found = new Map<string, EnvPlace[]>();
      for (const file of ENV_FILES.map((name) => join(folder, name))) {
        const text = await readFile(file, 'utf8').catch(() => '');
        for (const [line, row] of text.split(/\r?\n/).entries()) {
          const match = /^(\s*(?:export\s+)?)([A-Za-z_][A-Za-z0-9_]*)\s*=/.exec(row);
          const [, lead = '', name] = match ?? [];
          if (name === undefined) continue;
          const place = { file, line, start: lead.length, end: lead.length + name.length };
          found.set(name, [...(found.get(name) ?? []), place]);
        }
      }
      places = found;
    },
  };
}
