/** How a statement of an editor is bounded and explained, by the fact `syntax` of a dialect. */
import { toLexemes } from '../../language/strings/sql-read.js';
import type { SqlScan } from '../../language/strings/sql.js';

export interface StatementSyntax {
  /** Statements at the beginning of the transaction. */
  readonly listSettings: (isReadOnly: boolean) => readonly string[];
  /** The statement with a limit of rows. */
  readonly limit: (scan: SqlScan) => string;
  readonly explain: string;
  /** Also a write is explained where the database refuses to write. */
  readonly explainsReadOnly: boolean;
  /** Selects the `name` of a table that a rollback leaves as it was written; null: there is none. */
  readonly kept: string | null;
}

export const MOST_ROWS = 200;
const TIMEOUT = 10_000;
/** One more, to know that there are more. */
const LIMIT = `LIMIT ${MOST_ROWS + 1}`;

/** The end of the line ends a comment of the statement. */
const limitOutside = ({ text }: SqlScan): string => `SELECT * FROM (${text}\n) AS lintel_rows ${LIMIT}`;

/** A sub-query would lose its order, and may not name two columns alike. */
function limitAtEnd({ text, tokens }: SqlScan): string {
  const isLimited = toLexemes(text, tokens).some(
    ({ type, text: word, depth }) => type === 'word' && depth === 0 && (word === 'LIMIT' || word === 'FETCH'),
  );
  return isLimited ? text : `${text}\n${LIMIT}`;
}

export const SYNTAXES: Readonly<Record<string, StatementSyntax>> = {
  postgresql: {
    listSettings: (isReadOnly) => [
      ...(isReadOnly ? ['SET LOCAL transaction_read_only = on'] : []),
      `SET LOCAL statement_timeout = ${TIMEOUT}`,
    ],
    limit: limitOutside,
    explain: 'EXPLAIN',
    explainsReadOnly: true,
    kept: null,
  },
  // The connection has a time limit of its own.
  mysql: {
    listSettings: () => [],
    limit: limitAtEnd,
    explain: 'EXPLAIN FORMAT=JSON',
    explainsReadOnly: false,
    kept: `SELECT t.table_name AS name FROM information_schema.tables t
      JOIN information_schema.engines e ON e.engine = t.engine
      WHERE t.table_type = 'BASE TABLE' AND e.transactions <> 'YES'
      AND t.table_schema NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys') LIMIT 1`,
  },
};
