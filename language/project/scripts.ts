/** The scripts in `migrations`, sorted by name. */
import type { StatementParser } from '../../contract/query-language.js';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Script } from '../../contract/statement-check.js';
import type { AnalyseOptions } from '../analysis/analyse.js';

export const SCRIPTS_FOLDER = 'migrations';

/** What the analysis needs for statements. Empty until it is loaded. */
export type StatementSources = Pick<AnalyseOptions, 'sql' | 'scripts'>;

export async function loadStatementSources(
  folder: string,
  parser: StatementParser | Promise<StatementParser>,
): Promise<StatementSources> {
  const [sql, scripts] = await Promise.all([parser, readAllScripts(folder)]);
  return { sql, scripts };
}

/** The texts of the scripts of all connections. */
async function readAllScripts(folder: string): Promise<readonly string[]> {
  const inside = await readdir(join(folder, SCRIPTS_FOLDER), { withFileTypes: true }).catch(() => []);
  const folders = inside.filter((one) => one.isDirectory()).map(({ name }) => name);
  const all = await Promise.all(['', ...folders].map((name) => readScripts(folder, name, '')));
  return all.flat().map(({ text }) => text);
}

/** Scripts of other connections than the default are in a subfolder. */
export async function readScripts(folder: string, instance: string, usual: string): Promise<readonly Script[]> {
  const within = instance === usual ? SCRIPTS_FOLDER : `${SCRIPTS_FOLDER}/${instance}`;
  const names = await readdir(join(folder, within)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const files = names.filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (name) => ({
      file: `${within}/${name}`,
      text: await readFile(join(folder, within, name), 'utf8'),
    })),
  );
}
