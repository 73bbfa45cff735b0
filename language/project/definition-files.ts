/** Finds and decodes the definition files of a project. */
import { readFileSync, statSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { SourceFile } from '../analysis/analyse.js';
import { isTestFile } from '../analysis/classify.js';
import { listFieldsInLanguage, type Registry } from '../analysis/registry.js';

export interface DefinitionPlaces {
  readonly folder: string;
  /** Excluded even where a pattern matches it. */
  readonly configFile: string;
  readonly patterns: readonly string[];
  /** Includes test files, which are never served. */
  readonly tests?: boolean;
}

/** Absolute paths, sorted. */
export async function findDefinitions({
  folder,
  configFile,
  patterns,
  tests = false,
}: DefinitionPlaces): Promise<string[]> {
  // Loaded lazily, because editors respond before files are searched.
  const { glob } = await import('tinyglobby');
  const found = await glob([...patterns], { cwd: folder, absolute: true, dot: false, ignore: ['**/node_modules/**'] });
  return found
    .map((name) => resolve(name))
    .filter((name) => name !== configFile && (tests || !isTestFile(name)))
    .sort();
}

/** The folder before the first wildcard: `definitions` for `definitions/**`. */
export function getFixedPart(glob: string): string {
  const wild = glob.search(/[*?{[]/);
  return wild === -1 ? dirname(glob) : dirname(`${glob.slice(0, wild)}x`);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * `shown`: name in problems. Null for a file that has disappeared: editors replace files. Reads synchronously, because that takes a
 * tenth of the processor time for the thousands of small files of a large project.
 */
export function readDefinition(name: string, shown: string): SourceFile | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(name);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' ? null : { file: shown, text: '', unreadable: code ?? 'it failed' };
  }
  try {
    return { file: shown, text: UTF8.decode(bytes) };
  } catch {
    return { file: shown, text: '', unreadable: 'it is not UTF-8 text' };
  }
}

/** So long after its last change, a file that is read cannot change again within the same time stamp. */
const SETTLED_MS = 2000;

interface ReadOnce {
  readonly stats: Stats;
  readonly source: SourceFile;
}

/** Reads a file again only if it may have changed, which takes a third of the time for thousands of unchanged files. */
export function createDefinitionReader(getTime = () => Date.now()): typeof readDefinition {
  const known = new Map<string, ReadOnce>();
  return (name, shown) => {
    const stats = readStats(name);
    const before = known.get(name);
    if (stats !== undefined && before !== undefined && isUnchanged(before.stats, stats)) return before.source;
    known.delete(name);
    const now = getTime();
    const source = readDefinition(name, shown);
    const isSettled = stats !== undefined && now - Math.max(stats.mtimeMs, stats.ctimeMs) > SETTLED_MS;
    if (isSettled && source?.unreadable === undefined && source !== null) known.set(name, { stats, source });
    return source;
  };
}

function readStats(name: string): Stats | undefined {
  try {
    return statSync(name);
  } catch {
    return undefined;
  }
}

const isUnchanged = (a: Stats, b: Stats): boolean =>
  a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;

/** Whether the parser of a language is needed. */
export function hasStatements(files: readonly SourceFile[], registry: Registry): boolean {
  const fields = [...registry.languages.keys()].flatMap((language) => listFieldsInLanguage(registry, language));
  const keys = fields.map((name) => JSON.stringify(name));
  return files.some(({ text }) => keys.some((key) => text.includes(key)));
}
