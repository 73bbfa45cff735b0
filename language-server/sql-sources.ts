/** What the analysis needs for statements: the parser, and the SQL files of the project. */
import type { AnalyseOptions } from '../language/analysis/analyse.js';
import { readAllScripts } from '../language/project/scripts.js';
import { loadSqlParser } from '../language/project/sql-parser.js';

/** Empty until they are loaded. */
export type SqlSources = Pick<AnalyseOptions, 'sql' | 'scripts'>;

export async function loadSqlSources(folder: string): Promise<SqlSources> {
  const [sql, scripts] = await Promise.all([loadSqlParser(), readAllScripts(folder)]);
  return { sql, scripts };
}
