/** An error of a statement of a definition, with what is known of its place. */
import type { MysqlCatalogue } from './catalogue.js';
import { parseErrorNames, parseErrorWord, type FailedStatement } from './errors.js';
import type { MysqlConnection } from './pool.js';
import type { MysqlPreparedStatement } from './prepare.js';

export class StatementError extends Error {
  constructor(
    readonly error: unknown,
    readonly failed: FailedStatement,
  ) {
    super('refused by the database', { cause: error });
  }
}

export const createStatementError = (
  error: unknown,
  columns: readonly string[],
  { forms }: MysqlPreparedStatement,
  { flavour }: MysqlConnection,
): StatementError => new StatementError(error, { columns, word: parseErrorWord(error, forms[flavour].main.text) });

export function findColumns(
  error: unknown,
  { tables }: MysqlPreparedStatement,
  catalogue: MysqlCatalogue,
): readonly string[] {
  const { key, columns, check } = parseErrorNames(error);
  if (columns !== undefined) return columns;
  if (check !== undefined) return tables.flatMap((table) => parseLengthCheck(table, check));
  if (key === undefined) return [];
  const names = key.table === null ? tables : [key.table];
  for (const name of names) {
    const found = catalogue.get(name)?.keys.find((one) => one.name === key.name);
    if (found) return found.columns;
  }
  return [];
}

/** The migration names its length checks `<table>_<column>_length`. */
function parseLengthCheck(table: string, check: string): string[] {
  const column = check.slice(table.length + 1, -'_length'.length);
  return column !== '' && check === `${table}_${column}_length` ? [column] : [];
}
