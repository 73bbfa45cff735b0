/** Runs a statement on one connection: unchanged, or in steps inside a transaction of the caller. */
import { fault } from '../../../contract/fault.js';
import type { Row } from '../kind.js';
import mysql from 'mysql2';
import type { Bound } from './bind.js';
import type { Catalogue, CatalogueTable } from './catalogue.js';
import type { ChangeSteps, Form, InsertSteps } from './forms.js';
import type { Answer } from './answer.js';
import type { Wire } from './pool.js';
import { rowsOf } from './rows.js';
import { quoteName, type Rendered } from './words.js';

/** Returns the values for the placeholders of a piece. */
export type Bind = (piece: Rendered) => Bound[];

const impossible = (message: string): Error => fault('QRY_FAILED', {}, { cause: new Error(message) });

export async function runForm(wire: Wire, form: Form, bind: Bind, catalogue: Catalogue): Promise<readonly Row[]> {
  const { steps, main, outputs } = form;
  if (steps === null) return rowsOf(await wire.run(main.text, bind(main)), outputs);
  const table = catalogue.get(steps.table);
  return steps.step === 'insert' ? inserted(wire, form, steps, bind, table) : changed(wire, form, steps, bind, table);
}

async function inserted(
  wire: Wire,
  { main, outputs }: Form,
  steps: InsertSteps,
  bind: Bind,
  table: CatalogueTable | undefined,
): Promise<readonly Row[]> {
  const find = table && finderOf(steps, table);
  if (!find && steps.asked) throw impossible(`rows of ${steps.table} cannot be found again: RETURNING needs a key`);
  const answer = await wire.run(main.text, bind(main));
  if (!find || answer.affected === 0) return [];
  const { text, values } = find(answer, bind);
  const order = [...bind(steps.select), ...values];
  return rowsOf(await wire.run(`${steps.select.text} WHERE ${text}`, order), outputs);
}

type Find = (answer: Answer, bind: Bind) => { readonly text: string; readonly values: readonly Bound[] };

/** Finds inserted rows by a key with known values, or else by the AUTO_INCREMENT number. */
export function finderOf(
  { rows, conflict, conflicting }: InsertSteps,
  { keys, auto }: Pick<CatalogueTable, 'keys' | 'auto'>,
): Find | undefined {
  const known = (columns: readonly string[]): boolean =>
    rows.length > 0 && columns.every((name) => rows.every((row) => row.get(name.toLowerCase())));
  const candidates = conflict ? [conflict] : conflicting ? [] : keys.map(({ columns }) => columns);
  const key = candidates.find(known) ?? (conflicting ? keys.map(({ columns }) => columns).find(known) : undefined);
  if (key) {
    const pieces = rows.map((row) => key.map((name) => row.get(name.toLowerCase()) as Rendered));
    const text = pieces
      .map((row) => `(${row.map((piece, i) => `${quoteName(key[i] ?? '')} = ${piece.text}`).join(' AND ')})`)
      .join(' OR ');
    return (_, bind) => ({ text, values: pieces.flat().flatMap(bind) });
  }
  if (auto === null || conflicting || rows.some((row) => row.get(auto.toLowerCase()) === null)) return undefined;
  const name = quoteName(auto);
  return ({ insertId, affected }) => {
    const first = BigInt(insertId);
    const values = [first, first + BigInt(affected)].map((id) => mysql.TypedParameter.LONGLONG(id));
    return { text: `${name} >= ? AND ${name} < ? ORDER BY ${name}`, values };
  };
}

async function changed(
  wire: Wire,
  { outputs }: Form,
  steps: ChangeSteps,
  bind: Bind,
  table: CatalogueTable | undefined,
): Promise<readonly Row[]> {
  const { columns: key } = table?.keys[0] ?? { columns: [] };
  if (key.length === 0) throw impossible(`rows of ${steps.table} cannot be found again: RETURNING needs a key`);
  if (key.some((name) => steps.sets.includes(name.toLowerCase()))) {
    throw impossible(`an UPDATE of the key of ${steps.table} cannot answer with rows`);
  }
  const alias = quoteName(steps.alias);
  const names = key.map((name) => `${alias}.${quoteName(name)}`);
  const { rows } = await wire.run(`SELECT ${names.join(', ')}${steps.found.text}`, bind(steps.found));
  const deleting = steps.step === 'delete';
  const plain = deleting ? key.map(quoteName) : names;
  const where = ` WHERE ${plain.map((name) => `${name} = ?`).join(' AND ')}`;
  const selected = ` WHERE ${names.map((name) => `${name} = ?`).join(' AND ')}`;
  const found: Row[] = [];
  for (const values of (rows ?? []) as readonly (readonly Bound[])[]) {
    const change = (): Promise<unknown> => wire.run(steps.change.text + where, [...bind(steps.change), ...values]);
    if (!deleting) await change();
    const answer = await wire.run(steps.select.text + selected, [...bind(steps.select), ...values]);
    found.push(...rowsOf(answer, outputs));
    if (deleting) await change();
  }
  return found;
}
