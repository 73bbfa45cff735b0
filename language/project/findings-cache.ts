/**
 * The findings of earlier starts, for sets of definitions without errors. A start with the same inputs reads them, and
 * analyses only what it serves. The key is a digest of what an analysis reads, except variables: those it asked for are
 * compared.
 */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EnvFact } from '../../contract/credentials.js';
import { isObject } from '../../contract/json.js';
import { hasErrors } from '../../contract/problem.js';
import type { AnalyseOptions, SourceFile, VerifiedFindings } from '../analysis/analyse.js';
import type { Analysis } from '../analysis/analysis.js';
import type { EnvFacts } from '../analysis/checks/accessors.js';
import type { Registry } from '../analysis/registry.js';
import { readCacheFile, writeCacheFile } from './cache-file.js';
import { readPackageFile } from './package-folder.js';

export const FINDINGS_FILE = '.lintel/cache/findings.json';
const MAX_BYTES = 4 << 20;
/** A start may analyse twice: with the views and functions of the stores too. */
const MOST_SETS = 4;

export class RecordedEnv extends Map<string, EnvFact> {
  readonly names = new Set<string>();
  isPartial = true;
  override get(name: string) {
    this.names.add(name);
    return super.get(name);
  }
  override has(name: string) {
    this.names.add(name);
    return super.has(name);
  }
  override keys() {
    this.isPartial = false;
    return super.keys();
  }
}

interface StoredFindings extends VerifiedFindings {
  readonly variables: readonly string[];
  readonly facts: string;
}

export interface FindingsCache {
  find(key: string, env: EnvFacts): VerifiedFindings | undefined;
  store(key: string, env: RecordedEnv, analysis: Analysis): Promise<void>;
}

export async function openFindingsCache(folder: string): Promise<FindingsCache> {
  const file = join(folder, FINDINGS_FILE);
  const read = (await readCacheFile(file, MAX_BYTES))?.['sets'];
  const sets = new Map<string, unknown>(Object.entries(isObject(read) ? read : {}));
  return {
    find(key, env) {
      const found = sets.get(key);
      if (!isFindings(found) || digestFacts(found.variables, env) !== found.facts) return undefined;
      const { problems, acknowledged } = found;
      return { problems, acknowledged };
    },
    async store(key, env, { problems, acknowledged, resources, models }) {
      if (!env.isPartial || hasErrors(problems) || ![...resources, ...models].every(({ sound }) => sound)) return;
      const variables = [...env.names].sort();
      sets.delete(key);
      sets.set(key, { variables, facts: digestFacts(variables, env), problems, acknowledged } satisfies StoredFindings);
      for (const old of [...sets.keys()].slice(0, -MOST_SETS)) sets.delete(old);
      await writeCacheFile(file, { sets: Object.fromEntries(sets) }, MAX_BYTES);
    },
  };
}

const isFindings = (value: unknown): value is StoredFindings => {
  if (!isObject(value)) return false;
  const { variables, facts, problems, acknowledged } = value;
  const isFound = Array.isArray(problems) && typeof acknowledged === 'number';
  return isFound && Array.isArray(variables) && typeof facts === 'string';
};

const createDigest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

const digestFacts = (names: readonly string[], env: EnvFacts): string =>
  createDigest(names.map((name) => [name, env.get(name)]));

function describeProgram({ plugins, kinds }: Registry): unknown[] {
  const { version, dependencies } = readPackageFile();
  const { mtimeMs } = statSync(fileURLToPath(import.meta.url));
  return [version, dependencies, mtimeMs, process.version, [...plugins.keys()], [...kinds.keys()]];
}

/** Not for projects with other plugins than those of this program: their code may change at any time. */
export function createFindingsKey(
  files: readonly SourceFile[],
  registry: Registry,
  { sql, given, scripts, stored }: AnalyseOptions,
): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([describeProgram(registry), sql?.syntax, given, scripts, stored]));
  for (const { file, text, unreadable } of files)
    hash.update(JSON.stringify([file, unreadable, text.length])).update(text);
  return hash.digest('hex');
}
