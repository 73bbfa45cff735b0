/** Changes one row, and rolls back unless the change is confirmed and violates nothing. */
import type { ModelColumn, ModelTable } from '../../contract/model.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { scanSql } from '../../plugins/queries/sql/text/scan.js';
import { createSecretMask } from '../debug/secrets.js';
import { describeError, findDatabase, type FoundDatabase } from '../statements/run-statement.js';
import { findTable, listOpenColumns, quoteName, type CallReply } from './data.js';

export interface RowChange {
  readonly kind: 'insert' | 'update' | 'delete';
  readonly table: string;
  /** The primary key of the row; empty for a new one. */
  readonly key: Readonly<Record<string, string | number>>;
  /** Text as in a form, or null. */
  readonly values: Readonly<Record<string, string | null>>;
}

interface Violation {
  /** Null: of the row. */
  readonly column: string | null;
  readonly message: string;
}

type Run = (sql: string, values?: readonly unknown[]) => Promise<readonly unknown[]>;

const createRefusal = (status: number, message: string): CallReply => ({ status, body: { message } });

/** `isConfirmed` false: nothing stays. */
export async function changeRow(kernel: Kernel, change: RowChange, isConfirmed: boolean): Promise<CallReply> {
  const found = findTable(kernel, change.table);
  if (found === undefined) return createRefusal(404, `There is no table "${change.table}" of PostgreSQL.`);
  const { table, connection } = found;
  const open = listOpenColumns(kernel, table);
  const closed = Object.keys(change.values).find((name) => !open.has(name));
  if (closed !== undefined) return createRefusal(400, `The column "${closed}" cannot be changed here.`);
  const keys = table.columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
  const isKnown = keys.length > 0 && keys.every((name) => open.has(name) && Object.hasOwn(change.key, name));
  if (change.kind !== 'insert' && !isKnown)
    return createRefusal(409, 'Only a row with its whole primary key can be changed.');
  const database = findDatabase(kernel, connection);
  if (typeof database === 'string') return createRefusal(409, database);
  const where = keys.map((name) => [name, change.key[name] ?? ''] as const);
  return runInTransaction(database, async (run) => {
    const effects = change.kind === 'delete' ? await listReferences(kernel, table, change.key, run) : [];
    const { values, violations } = readValues(change, open);
    if (violations.length === 0) violations.push(...(await tryChange(change, values, where, run)));
    const { maskText } = createSecretMask(kernel);
    const shown = violations.map(({ column, message }) => ({ column, message: maskText(message, []) }));
    const isDone = isConfirmed && violations.length === 0;
    return { isDone, reply: { body: { done: isDone, violations: shown, effects } } };
  });
}

async function runInTransaction(
  { database, syntax }: FoundDatabase,
  work: (run: Run) => Promise<{ readonly isDone: boolean; readonly reply: CallReply }>,
): Promise<CallReply> {
  const transaction = await database.begin({ level: 'locks', among: false });
  let isOpen = true;
  const run: Run = (sql, values = []) =>
    database.run(database.prepare({ scan: scanSql(sql), jsonColumns: values.map(() => false) }), values, transaction);
  try {
    for (const text of syntax.listSettings(false)) await run(text);
    const { isDone, reply } = await work(run);
    if (isDone) {
      isOpen = false;
      await database.commit(transaction);
    }
    return reply;
  } catch (error) {
    return createRefusal(409, describeError(error).text);
  } finally {
    if (isOpen) await database.rollback(transaction);
  }
}

/** Each column alone first: a database reports one violation. */
async function tryChange(
  { kind, table }: RowChange,
  values: ReadonlyMap<string, unknown>,
  where: readonly (readonly [name: string, value: string | number])[],
  run: Run,
): Promise<Violation[]> {
  const name = quoteName(table);
  const buildCondition = (from: number): string =>
    where.map(([column], i) => `CAST(${quoteName(column)} AS text) = $${from + i + 1}`).join(' AND ');
  const key = where.map(([, value]) => String(value));
  const update = (columns: readonly string[]) => () =>
    run(
      `UPDATE ${name} SET ${columns.map((column, i) => `${quoteName(column)} = $${i + 1}`).join(', ')} WHERE ${buildCondition(columns.length)} RETURNING 1 AS n`,
      [...columns.map((column) => values.get(column)), ...key],
    );
  const columns = [...values.keys()];
  const violations: Violation[] = [];
  if (kind === 'update' && columns.length > 1)
    for (const column of columns) violations.push(...(await attemptChange(column, update([column]), run)));
  if (violations.length > 0) return violations;
  const works = {
    update: update(columns),
    delete: () => run(`DELETE FROM ${name} WHERE ${buildCondition(0)} RETURNING 1 AS n`, key),
    insert: () =>
      run(
        `INSERT INTO ${name} (${columns.map(quoteName).join(', ')}) VALUES (${columns.map((_, i) => `$${i + 1}`).join(', ')}) RETURNING 1 AS n`,
        [...values.values()],
      ),
  };
  const only = columns.length === 1 ? (columns[0] ?? null) : null;
  return attemptChange(kind === 'update' ? only : null, works[kind], run, true);
}

/** Deferred constraints count, too. `stays`: the change is not undone here. */
async function attemptChange(
  column: string | null,
  work: () => Promise<readonly unknown[]>,
  run: Run,
  stays = false,
): Promise<Violation[]> {
  await run('SAVEPOINT lintel_change');
  try {
    const rows = await work();
    await run('SET CONSTRAINTS ALL IMMEDIATE');
    if (!stays) await run('ROLLBACK TO SAVEPOINT lintel_change');
    return rows.length === 1 ? [] : [{ column: null, message: `${rows.length} rows have this key.` }];
  } catch (error) {
    await run('ROLLBACK TO SAVEPOINT lintel_change');
    return [{ column, message: describeError(error).text }];
  }
}

/** Rows of other tables that refer to this one. */
async function listReferences(
  kernel: Kernel,
  { table }: ModelTable,
  key: RowChange['key'],
  run: Run,
): Promise<string[]> {
  const effects: string[] = [];
  for (const other of kernel.plans().tables)
    for (const { name, references } of other.columns) {
      const value = references?.table === table ? (key[references.column] ?? null) : null;
      if (value === null || findTable(kernel, other.table) === undefined) continue;
      const sql = `SELECT count(*) AS n FROM ${quoteName(other.table)} WHERE CAST(${quoteName(name)} AS text) = $1`;
      const [row] = (await run(sql, [String(value)])) as { readonly n: number }[];
      if (Number(row?.n) > 0) effects.push(`${row?.n} rows of "${other.table}" refer to it by "${name}".`);
    }
  return effects;
}

function readValues(
  { values }: RowChange,
  open: ReadonlyMap<string, ModelColumn>,
): { readonly values: ReadonlyMap<string, unknown>; readonly violations: Violation[] } {
  const violations: Violation[] = [];
  const read = new Map<string, unknown>();
  for (const [column, text] of Object.entries(values)) {
    const value = text === null ? null : parseValue(text, open.get(column)?.type ?? 'text');
    if (value === undefined)
      violations.push({ column, message: `"${column}" takes ${FORMS[open.get(column)?.type ?? 'text']}.` });
    else read.set(column, value);
  }
  return { values: read, violations };
}

const FORMS: Readonly<Record<ModelColumn['type'], string>> = {
  integer: 'a whole number up to 9007199254740991',
  float: 'a number',
  boolean: 'true or false',
  timestamp: 'a date and time, such as 2026-01-31T12:00:00Z',
  json: 'JSON text',
  text: 'text',
};

/** Undefined: the text is no value of this type. */
function parseValue(text: string, type: ModelColumn['type']): unknown {
  switch (type) {
    case 'integer':
      return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
    case 'float':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : undefined;
    case 'timestamp':
      return Number.isNaN(Date.parse(text)) ? undefined : text;
    case 'json':
      try {
        JSON.parse(text);
        return text;
      } catch {
        return undefined;
      }
    case 'text':
      return text;
  }
}

/** Sent in a header, because routes read no bodies. Null: no change. */
export function readChange(header: string | undefined): RowChange | null {
  try {
    const { kind, table, key = {}, values = {} } = JSON.parse(decodeURIComponent(header ?? '')) as Partial<RowChange>;
    const isKind = kind === 'insert' || kind === 'update' || kind === 'delete';
    if (!isKind || typeof table !== 'string' || !isPlain(key, isKey) || !isPlain(values, isText)) return null;
    return { kind, table, key, values };
  } catch {
    return null;
  }
}

const isText = (value: unknown): boolean => value === null || typeof value === 'string';
const isKey = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
const isPlain = (value: unknown, isValue: (one: unknown) => boolean): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every(isValue);
