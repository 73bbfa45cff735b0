/** Rows of the tables of a SQL database for the console. */
import type { JsonObject } from '../../../contract/json.js';
import type { ModelTable } from '../../../contract/model.js';
import { endChange, type RowChange, type RowSource, type RowWindow } from '../../../contract/row-source.js';
import { scanSql } from '../../queries/sql/text/scan.js';
import type { StatementText } from '../../../contract/statement-text.js';
import { quoteSqlName } from '../../queries/sql/text/quotes.js';

const BY_LOCKS = { level: 'locks', among: false } as const;

export interface RowStatements {
  /** At the beginning of each transaction. */
  readonly begin?: readonly string[];
  /** At the beginning of one that only reads, if the dialect has no `beginReadOnly`. */
  readonly beginReadOnly?: readonly string[];
  /** After a change: checks what is checked at the end of a transaction. */
  readonly check?: readonly string[];
  readonly findObstacle?: () => Promise<string | null>;
}

export const POSTGRES_STATEMENTS: RowStatements = {
  begin: ['SET LOCAL statement_timeout = 10000'],
  beginReadOnly: ['SET LOCAL transaction_read_only = on'],
  check: ['SET CONSTRAINTS ALL IMMEDIATE'],
};

type Row = Readonly<Record<string, unknown>>;

interface TableDialect<Prepared, Transaction> {
  prepare(input: {
    readonly scan: StatementText;
    readonly jsonColumns: readonly boolean[];
    readonly tables: readonly ModelTable[];
    readonly lock: 'update' | null;
  }): Prepared;
  run(prepared: Prepared, values: readonly unknown[], transaction: Transaction): Promise<readonly Row[]>;
  begin(need: typeof BY_LOCKS): Promise<Transaction>;
  readonly beginReadOnly?: (need: typeof BY_LOCKS) => Promise<Transaction>;
  commit(transaction: Transaction): Promise<void>;
  rollback(transaction: Transaction): Promise<void>;
}

type Run = (sql: string, values?: readonly unknown[], json?: readonly boolean[]) => Promise<readonly Row[]>;

const listKeys = ({ columns }: ModelTable): string[] =>
  columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);

export function createTableRows<Prepared, Transaction>(
  dialect: TableDialect<Prepared, Transaction>,
  statements: RowStatements = {},
): RowSource {
  const createRun =
    (table: ModelTable, transaction: Transaction, lock: 'update' | null = null): Run =>
    (sql, values = [], json = values.map(() => false)) => {
      const prepared = dialect.prepare({ scan: scanSql(sql), jsonColumns: json, tables: [table], lock });
      return dialect.run(prepared, values, transaction);
    };

  async function runReadOnly<T>(table: ModelTable, work: (run: Run) => Promise<T>): Promise<T> {
    const { beginReadOnly } = dialect;
    const transaction = await (beginReadOnly === undefined ? dialect.begin(BY_LOCKS) : beginReadOnly(BY_LOCKS));
    try {
      const run = createRun(table, transaction);
      for (const text of statements.begin ?? []) await run(text);
      if (beginReadOnly === undefined) for (const text of statements.beginReadOnly ?? []) await run(text);
      return await work(run);
    } finally {
      await dialect.rollback(transaction);
    }
  }

  return {
    listKeys,
    findType: ({ columns }, column) => columns.find(({ name }) => name === column)?.type ?? null,
    read: (table, window) =>
      runReadOnly(table, async (run) => {
        const { sql, values } = writeSelect(table, window);
        return (await run(sql, values)) as readonly JsonObject[];
      }),
    count: (table, column, value) =>
      runReadOnly(table, async (run) => {
        const sql = `SELECT count(*) AS n FROM ${quoteSqlName(table.table)} WHERE ${quoteSqlName(column)} = $1`;
        return Number((await run(sql, [value]))[0]?.['n'] ?? 0);
      }),
    findObstacle: () => statements.findObstacle?.() ?? Promise.resolve(null),
    async changeRows(table, change, isKept) {
      const transaction = await dialect.begin(BY_LOCKS);
      return endChange(dialect, transaction, isKept, async () => {
        const run = createRun(table, transaction);
        for (const text of statements.begin ?? []) await run(text);
        const count = await runChange(table, change, run, createRun(table, transaction, 'update'));
        for (const text of statements.check ?? []) await run(text);
        return count;
      });
    },
  };
}

async function runChange(table: ModelTable, { kind, key, values }: RowChange, run: Run, lock: Run): Promise<number> {
  const name = quoteSqlName(table.table);
  const columns = Object.keys(values);
  const json = columns.map((column) => table.columns.some((one) => one.name === column && one.type === 'json'));
  const bound = Object.values(values);
  if (kind === 'insert') {
    const places = columns.map((_, i) => `$${i + 1}`).join(', ');
    await run(`INSERT INTO ${name} (${columns.map(quoteSqlName).join(', ')}) VALUES (${places})`, bound, json);
    return 1;
  }
  const keys = listKeys(table);
  const found = keys.map((column) => key[column]);
  const writeCondition = (from: number): string =>
    keys.map((column, i) => `${quoteSqlName(column)} = $${from + i + 1}`).join(' AND ');
  const { length } = await lock(`SELECT 1 AS n FROM ${name} WHERE ${writeCondition(0)}`, found);
  if (length !== 1) return length;
  if (kind === 'delete') await run(`DELETE FROM ${name} WHERE ${writeCondition(0)}`, found);
  else {
    const sets = columns.map((column, i) => `${quoteSqlName(column)} = $${i + 1}`).join(', ');
    const types = [...json, ...keys.map(() => false)];
    await run(`UPDATE ${name} SET ${sets} WHERE ${writeCondition(columns.length)}`, [...bound, ...found], types);
  }
  return 1;
}

function writeSelect(
  table: ModelTable,
  { filter, sort, skip, limit }: RowWindow,
): { readonly sql: string; readonly values: readonly unknown[] } {
  const column = quoteSqlName(filter?.column ?? '');
  const condition =
    filter?.contains === true ? `position(lower($1) IN lower(CAST(${column} AS text))) > 0` : `${column} = $1`;
  const first = sort === null ? [] : [`${quoteSqlName(sort.column)} ${sort.descending ? 'DESC' : 'ASC'}`];
  const order = [...first, ...listKeys(table).map(quoteSqlName)];
  return {
    sql: [
      `SELECT * FROM ${quoteSqlName(table.table)}`,
      ...(filter === null ? [] : [`WHERE ${condition}`]),
      ...(order.length === 0 ? [] : [`ORDER BY ${order.join(', ')}`]),
      `LIMIT ${limit} OFFSET ${skip}`,
    ].join(' '),
    values: filter === null ? [] : [filter.text],
  };
}
