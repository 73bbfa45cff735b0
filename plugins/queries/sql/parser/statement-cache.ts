/**
 * The parsed statements of earlier starts, in a file of the project that is safe to delete. A start with the same statements
 * does not load PostgreSQL's parser, which takes 16 MiB of memory and a tenth of the time.
 */
import type { CachedParser, ParsedStatements } from '../../../../contract/query-language.js';
import { join } from 'node:path';
import { isObject } from '../../../../contract/json.js';
import { readCacheFile, writeCacheFile } from '../../../../language/project/cache-file.js';
import { readPackageFile } from '../../../../language/project/package-folder.js';
import { loadSqlParser, SYNTAX } from './load-parser.js';

export const CACHE_FILE = '.lintel/cache/statements.json';
/** A larger file takes longer to read than its statements take to parse. */
const MAX_BYTES = 8 << 20;

/** Text and version of the parser select the entry. */
interface CacheFile {
  readonly parser: string;
  readonly texts: Readonly<Record<string, ParsedStatements>>;
}

export async function openStatementCache(folder: string): Promise<CachedParser> {
  const file = join(folder, CACHE_FILE);
  const known = await readCache(file);
  const used = new Map<string, ParsedStatements>();
  let parser = known === null ? await loadSqlParser() : null;
  let isIncomplete = false;
  let isChanged = false;
  return {
    syntax: SYNTAX,
    parse(text) {
      let parsed = used.get(text) ?? known?.get(text);
      if (parsed === undefined) {
        if (parser === null) {
          isIncomplete = true;
          return { statements: [], fault: null };
        }
        parsed = parser.parse(text);
        isChanged = true;
      }
      used.set(text, parsed);
      return parsed;
    },
    async loadMissing() {
      if (!isIncomplete) return false;
      parser = await loadSqlParser();
      isIncomplete = false;
      return true;
    },
    async writeChanges() {
      if (!isChanged) return;
      isChanged = false;
      await writeCache(file, used);
    },
  };
}

function describeParser(): string {
  const { version, dependencies } = readPackageFile();
  return `lintel@${version} libpg-query@${dependencies['libpg-query'] ?? ''}`;
}

async function readCache(file: string): Promise<ReadonlyMap<string, ParsedStatements> | null> {
  const found = (await readCacheFile(file, MAX_BYTES)) as CacheFile | null;
  if (found?.parser !== describeParser() || !isObject(found.texts)) return null;
  return new Map(Object.entries(found.texts));
}

const writeCache = (file: string, used: ReadonlyMap<string, ParsedStatements>): Promise<void> =>
  writeCacheFile(file, { parser: describeParser(), texts: Object.fromEntries(used) } satisfies CacheFile, MAX_BYTES);
