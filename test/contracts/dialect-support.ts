/** Helpers of the dialect contract: running SQL as a definition would, catching faults, writing models briefly. */
import { Fault } from '../../contract/fault.js';
import type { MigrationOutline } from '../../contract/migration.js';
import type { ModelColumn, ModelTable } from '../../contract/model.js';
import { scanSql } from '../../plugins/queries/sql/text/scan.js';
import type { Dialect, Row, Transaction } from '../../plugins/dialects/kind.js';
import { createModelColumn } from '../support/model-tables.js';

/** An open connection under test. */
export interface OpenDialect {
  readonly handle: Dialect;
  /** Migrates to these models; returns the warnings, the executed statements, and the reported progress. */
  syncSchema(
    tables: readonly ModelTable[],
    destroy?: boolean,
  ): Promise<{ warnings: string[]; statements: string[]; progress: string[] }>;
  /** The plan of `adopt`. */
  plan(tables: readonly ModelTable[], destroy?: boolean): Promise<MigrationOutline>;
  health(): Promise<boolean | undefined>;
  close(): Promise<void>;
}

export type MakeConnection = () => Promise<OpenDialect | { readonly skip: string }>;

/** Runs SQL once; `json` lists the parameters (from 1) that the model assigns to JSON columns. */
export type Run = (
  sql: string,
  values?: readonly unknown[],
  json?: readonly number[],
  inside?: Transaction,
) => Promise<readonly Row[]>;

export const createRunner =
  (handle: () => Dialect): Run =>
  (sql, values = [], json = [], inside) => {
    const jsonColumns = values.map((_, i) => json.includes(i + 1));
    return handle().run(handle().prepare({ scan: scanSql(sql), jsonColumns }), values, inside ?? null);
  };

export async function catchFault(work: Promise<unknown>): Promise<Fault> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error('expected a fault');
}

export const defineColumn = (
  name: string,
  type: ModelColumn['type'] = 'text',
  rest: Partial<ModelColumn> = {},
): ModelColumn => createModelColumn(name, { type, ...rest });

export const id = defineColumn('id', 'integer', { primaryKey: true, autoIncrement: true });

export const defineTable = (name: string, ...columns: ModelColumn[]): ModelTable => ({
  model: `_${name}`,
  table: name,
  stores: [{ kind: 'dialect', instance: 'main' }],
  columns,
  uniques: columns.filter(({ unique }) => unique).map((column) => [column.name]),
});
