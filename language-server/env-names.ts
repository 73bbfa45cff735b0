/** Names and locations of a project's environment variables. Values are discarded while reading: never stored, sent or logged. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface EnvLocation {
  /** Absolute name of the file. */
  readonly file: string;
  /** Zero-based. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export interface EnvNames {
  readonly names: readonly string[];
  findLocations(name: string): readonly EnvLocation[];
  refresh(): Promise<void>;
}

/** In search order; the documenting file comes first. */
const ENV_FILES = ['.env.example', '.env'];

export function createEnvNames(folder: string): EnvNames {
  let places = new Map<string, EnvLocation[]>();
  return {
    get names() {
      return [...places.keys()];
    },
    findLocations: (name) => places.get(name) ?? [],
    async refresh() {
      const found = new Map<string, EnvLocation[]>();
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
