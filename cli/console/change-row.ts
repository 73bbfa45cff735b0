/** Changes one row, and rolls back unless the change is confirmed and violates nothing. */
import { Fault } from '../../contract/fault.js';
import type { ColumnType } from '../../contract/model.js';
import type { RowChange } from '../../contract/row-source.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { createSecretMask } from '../debug/secrets.js';
import { describeError } from '../statements/run-statement.js';
import { findTable, listColumns, listTables, type CallReply, type FoundTable, type ShownColumn } from './data.js';

export interface RequestedChange extends Pick<RowChange, 'kind' | 'key'> {
  readonly table: string;
  /** Null: the first one with this table. */
  readonly store: string | null;
  /** Text as in a form, or null. */
  readonly values: Readonly<Record<string, string | null>>;
}

type Registry = Kernel['project']['registry'];

interface Violation {
  /** Null: of the row. */
  readonly column: string | null;
  readonly message: string;
}

const createRefusal = (status: number, message: string): CallReply => ({ status, body: { message } });

/** `isConfirmed` false: nothing stays. */
export async function changeRow(kernel: Kernel, asked: RequestedChange, isConfirmed: boolean): Promise<CallReply> {
  const found = findTable(kernel, asked.table, asked.store);
  if (found === undefined) return createRefusal(404, `There is no table or collection "${asked.table}".`);
  const { kind, key } = asked;
  const { registry } = kernel.project;
  const columns = listColumns(kernel, found);
  const open = new Map(columns.filter(({ isOpen }) => isOpen).map((one) => [one.name, one]));
  const closed = Object.keys(asked.values).find((name) => !open.has(name));
  if (closed !== undefined) return createRefusal(400, `The column "${closed}" cannot be changed here.`);
  const keys = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  const isKnown = keys.length > 0 && keys.every((name) => open.has(name) && Object.hasOwn(key, name));
  if (kind !== 'insert' && !isKnown) return createRefusal(409, 'Only a row with its whole primary key can be changed.');
  if (kind !== 'delete' && Object.keys(asked.values).length === 0)
    return createRefusal(409, 'No value is given or changed.');
  try {
    const obstacle = await found.rows.findObstacle();
    if (obstacle !== null) return createRefusal(409, obstacle);
    const effects = kind === 'delete' ? await listReferences(kernel, found, key) : [];
    const { values, violations } = readValues(asked, open);
    if (violations.length === 0)
      violations.push(...(await tryChange(registry, found, { kind, key, values }, isConfirmed)));
    const { maskText } = createSecretMask(kernel);
    const shown = violations.map(({ column, message }) => ({ column, message: maskText(message, []) }));
    return { body: { done: isConfirmed && shown.length === 0, violations: shown, effects } };
  } catch (error) {
    return createRefusal(409, describeError(error).text);
  }
}

/** Each column alone first: a store may report only one violation. */
async function tryChange(
  registry: Registry,
  found: FoundTable,
  change: RowChange,
  isKept: boolean,
): Promise<Violation[]> {
  const columns = Object.entries(change.values);
  const violations: Violation[] = [];
  if (change.kind === 'update' && columns.length > 1)
    for (const [column, value] of columns)
      violations.push(...(await attemptChange(registry, found, { ...change, values: { [column]: value } }, false)));
  return violations.length > 0 ? violations : attemptChange(registry, found, change, isKept);
}

async function attemptChange(
  registry: Registry,
  { table, rows }: FoundTable,
  change: RowChange,
  isKept: boolean,
): Promise<Violation[]> {
  try {
    const count = await rows.changeRows(table, change, isKept);
    return count === 1 ? [] : [{ column: null, message: `${count} rows have this key.` }];
  } catch (error) {
    const [only = null, ...others] = change.kind === 'update' ? Object.keys(change.values) : [];
    return describeViolations(registry, error, others.length === 0 ? only : null);
  }
}

function describeViolations({ codes }: Registry, error: unknown, column: string | null): Violation[] {
  const { text } = describeError(error);
  const issues = error instanceof Fault ? (error.options.issues ?? []) : [];
  const named = issues.flatMap(({ pointer, detail, code }) =>
    pointer.startsWith('/') ? [{ column: pointer.slice(1), message: detail ?? code }] : [],
  );
  // Errors that could quote a value of a row keep only the code of the store.
  const isOpen = !(error instanceof Fault) || (error.cause instanceof Error && !text.startsWith('database error'));
  if (isOpen) return [{ column: column ?? named[0]?.column ?? null, message: text }];
  return named.length > 0 ? named : [{ column, message: codes[error.code]?.message ?? text }];
}

async function listReferences(kernel: Kernel, { table, store }: FoundTable, key: RowChange['key']): Promise<string[]> {
  const effects: string[] = [];
  for (const other of listTables(kernel))
    for (const { name, references } of other.table.columns) {
      const value = references?.table === table.table ? key[references.column] : null;
      if (
        (typeof value !== 'string' && typeof value !== 'number') ||
        findTable(kernel, table.table, other.store)?.store !== store
      )
        continue;
      const count = await other.rows.count(other.table, name, value);
      if (count > 0) effects.push(`${count} rows of "${other.table.table}" refer to it by "${name}".`);
    }
  return effects;
}

function readValues(
  { values }: RequestedChange,
  open: ReadonlyMap<string, ShownColumn>,
): { readonly values: RowChange['values']; readonly violations: Violation[] } {
  const violations: Violation[] = [];
  const read: [column: string, value: unknown][] = [];
  for (const [column, text] of Object.entries(values)) {
    const value = text === null ? null : parseValue(text, open.get(column)?.type ?? 'text');
    if (value === undefined)
      violations.push({ column, message: `"${column}" takes ${FORMS[open.get(column)?.type ?? 'text']}.` });
    else read.push([column, value]);
  }
  return { values: Object.fromEntries(read), violations };
}

const FORMS: Readonly<Record<ColumnType, string>> = {
  integer: 'a whole number up to 9007199254740991',
  float: 'a number',
  boolean: 'true or false',
  timestamp: 'a date and time, such as 2026-01-31T12:00:00Z',
  json: 'JSON text',
  text: 'text',
};

/** Undefined: the text is no value of this type. */
function parseValue(text: string, type: ColumnType): unknown {
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
        return JSON.parse(text);
      } catch {
        return undefined;
      }
    case 'text':
      return text;
  }
}

/** Sent in a header, because routes read no bodies. Null: no change. */
export function readChange(header: string | undefined): RequestedChange | null {
  try {
    const asked = JSON.parse(decodeURIComponent(header ?? '')) as Partial<RequestedChange>;
    const { kind, table, store = null, key = {}, values = {} } = asked;
    const isKind = kind === 'insert' || kind === 'update' || kind === 'delete';
    if (!isKind || typeof table !== 'string' || !isText(store) || !isPlain(key, isKey) || !isPlain(values, isText))
      return null;
    return { kind, table, store, key, values };
  } catch {
    return null;
  }
}

const isText = (value: unknown): boolean => value === null || typeof value === 'string';
const isKey = (value: unknown): boolean => value !== null && !Array.isArray(value);
const isPlain = (value: unknown, isValue: (one: unknown) => boolean): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every(isValue);
