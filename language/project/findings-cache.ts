/**
 * The findings of earlier starts, for sets of definitions without errors. A start with the same inputs reads them, and
 * analyses only what it serves. The key is a digest of everything that an analysis reads.
 */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '../../contract/json.js';
import { hasErrors } from '../../contract/problem.js';
import type { AnalyseOptions, SourceFile, VerifiedFindings } from '../analysis/analyse.js';
import type { Analysis } from '../analysis/analysis.js';
import type { Registry } from '../analysis/registry.js';
import { readCacheFile, writeCacheFile } from './cache-file.js';
import { readPackageFile } from './package-folder.js';

export const FINDINGS_FILE = '.lintel/cache/findings.json';
const MAX_BYTES = 4 << 20;
/** A start may analyse twice: with the views and functions of the stores too. */
const MOST_SETS = 4;

export interface FindingsCache {
  find(key: string): VerifiedFindings | undefined;
  /** Keeps what was found, unless there are errors. */
  store(key: string, analysis: Analysis): Promise<void>;
}

export async function openFindingsCache(folder: string): Promise<FindingsCache> {
  const file = join(folder, FINDINGS_FILE);
  const read = (await readCacheFile(file, MAX_BYTES))?.['sets'];
  const sets = new Map<string, unknown>(Object.entries(isObject(read) ? read : {}).filter(([, one]) => isFindings(one)));
  return {
    find: (key) => sets.get(key) as VerifiedFindings | undefined,
    async store(key, { problems, acknowledged, resources, models }) {
      if (hasErrors(problems) || ![...resources, ...models].every(({ sound }) => sound)) return;
      sets.delete(key);
      sets.set(key, { problems, acknowledged } satisfies VerifiedFindings);
      for (const old of [...sets.keys()].slice(0, -MOST_SETS)) sets.delete(old);
      await writeCacheFile(file, { sets: Object.fromEntries(sets) }, MAX_BYTES);
    },
  };
}

const isFindings = (value: unknown): boolean =>
  isObject(value) && typeof value['acknowledged'] === 'number' && Array.isArray(value['problems']);

/** The same in each process that runs these modules. */
function describeProgram({ plugins, kinds }: Registry): unknown[] {
  const { version, dependencies } = readPackageFile();
  const { mtimeMs } = statSync(fileURLToPath(import.meta.url));
  return [version, dependencies, mtimeMs, process.version, [...plugins.keys()], [...kinds.keys()]];
}

/** For projects whose plugins are all part of this program: the code of others may change at any time. */
export function createFindingsKey(
  files: readonly SourceFile[],
  registry: Registry,
  { env, sql, given, scripts, stored }: AnalyseOptions,
): string {
  const shared = [describeProgram(registry), env && [...env], sql?.syntax, given, scripts, stored];
  const hash = createHash('sha256').update(JSON.stringify(shared));
  for (const { file, text, unreadable } of files)
    hash.update(JSON.stringify([file, unreadable, text.length])).update(text);
  return hash.digest('hex');
}
