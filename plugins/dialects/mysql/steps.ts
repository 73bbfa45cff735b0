/** Runs a statement on one connection: unchanged, or in steps. */
import { createFault } from '../../../contract/fault.js';
import type { Row } from '../kind.js';
import mysql from 'mysql2';
import type { BoundValue, Bind } from './bind.js';
import type { MysqlCatalogue, MysqlCatalogueTable } from './catalogue.js';
import type { ChangeSteps, StatementForm, InsertSteps } from './forms.js';
import type { StatementResult } from './statement-result.js';
import type { MysqlConnection } from './connection.js';
import { toRows } from './rows.js';
import type { RenderedSql } from './words.js';
import { quoteSqlName } from '../../queries/sql/text/quotes.js';

const createStepFault = (message: string): Error => createFault('QRY_FAILED', {}, { cause: new Error(message) });

export async function runForm(
  wire: MysqlConnection,
  form: StatementForm,
  bind: Bind,
  catalogue: MysqlCatalogue,
): Promise<readonly Row[]> {
  const { steps, main, outputs, isTransient } = form;
  if (steps === null) return toRows(await wire.run(main.text, bind(main), isTransient), outputs);
  const table = catalogue.get(steps.table);
  return steps.step === 'insert'
    ? runInsert(wire, form, steps, bind, table)
    : runChange(wire, form, steps, bind, table);
}

async function runInsert(
  wire: MysqlConnection,
  { main, outputs, isTransient }: StatementForm,
  steps: InsertSteps,
  bind: Bind,
  table: MysqlCatalogueTable | undefined,
): Promise<readonly Row[]> {
  const find = table && createRowFinder(steps, table);
  if (!find && steps.hasReturning)
    throw createStepFault(`rows of ${steps.table} cannot be found again: RETURNING needs a key`);
  const answer = await wire.run(main.text, bind(main), isTransient);
  if (!find || answer.affected === 0) return [];
  const { text, values } = find(answer, bind);
  const order = [...bind(steps.select), ...values];
  return toRows(await wire.run(`${steps.select.text} WHERE ${text}`, order), outputs);
}

type Find = (answer: StatementResult, bind: Bind) => { readonly text: string; readonly values: readonly BoundValue[] };

/** By a key with known values, or the AUTO_INCREMENT number. */
export function createRowFinder(
  { rows, conflict, conflicting }: InsertSteps,
  { keys, auto }: Pick<MysqlCatalogueTable, 'keys' | 'auto'>,
): Find | undefined {
  const hasKnownValues = (columns: readonly string[]): boolean =>
    rows.length > 0 && columns.every((name) => rows.every((row) => row.get(name.toLowerCase())));
  const candidates = conflict ? [conflict] : conflicting ? [] : keys.map(({ columns }) => columns);
  const key =
    candidates.find(hasKnownValues) ??
    (conflicting ? keys.map(({ columns }) => columns).find(hasKnownValues) : undefined);
  if (key) {
    const pieces = rows.map((row) => key.map((name) => row.get(name.toLowerCase()) as RenderedSql));
    const text = pieces
      .map((row) => `(${row.map((piece, i) => `${quoteSqlName(key[i] ?? '')} = ${piece.text}`).join(' AND ')})`)
      .join(' OR ');
    return (_, bind) => ({ text, values: pieces.flat().flatMap(bind) });
  }
  if (auto === null || conflicting || rows.some((row) => row.get(auto.toLowerCase()) === null)) return undefined;
  const name = quoteSqlName(auto);
  return ({ insertId, affected }) => {
    const first = BigInt(insertId);
    const values = [first, first + BigInt(affected)].map((id) => mysql.TypedParameter.LONGLONG(id));
    return { text: `${name} >= ? AND ${name} < ? ORDER BY ${name}`, values };
  };
}

async function runChange(
  wire: MysqlConnection,
  { outputs }: StatementForm,
  steps: ChangeSteps,
  bind: Bind,
  table: MysqlCatalogueTable | undefined,
): Promise<readonly Row[]> {
  const { columns: key } = table?.keys[0] ?? { columns: [] };
  if (key.length === 0) throw createStepFault(`rows of ${steps.table} cannot be found again: RETURNING needs a key`);
  if (key.some((name) => steps.sets.includes(name.toLowerCase()))) {
    throw createStepFault(`an UPDATE of the key of ${steps.table} cannot answer with rows`);
  }
  const alias = quoteSqlName(steps.alias);
  const names = key.map((name) => `${alias}.${quoteSqlName(name)}`);
  const { rows } = await wire.run(`SELECT ${names.join(', ')}${steps.found.text}`, bind(steps.found));
  const deleting = steps.step === 'delete';
  const plain = deleting ? key.map(quoteSqlName) : names;
  const where = ` WHERE ${plain.map((name) => `${name} = ?`).join(' AND ')}`;
  const selected = ` WHERE ${names.map((name) => `${name} = ?`).join(' AND ')}`;
  const found: Row[] = [];
  for (const values of (rows ?? []) as readonly (readonly BoundValue[])[]) {
    const applyChange = (): Promise<unknown> => wire.run(steps.change.text + where, [...bind(steps.change), ...values]);
    if (!deleting) await applyChange();
    const answer = await wire.run(steps.select.text + selected, [...bind(steps.select), ...values]);
    found.push(...toRows(answer, outputs));
    if (deleting) await applyChange();
  }
  return found;
}
