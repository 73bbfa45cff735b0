/** The difference between a model and its table, and the names of what a migration adds. */
import { createHash } from 'node:crypto';
import type { ModelTable } from '../../../contract/model.js';
import type { KnownTable, TypeMapping, Misfit } from './migration-types.js';
import type { TableChange, PlanWarning } from './changes.js';

/** At most 63 bytes; longer names end in a digest. */
export function createObjectName(table: string, column: string, suffix: string): string {
  const name = `${table}_${column}_${suffix}`;
  if (Buffer.byteLength(name) <= 63) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 10);
  return `${Buffer.from(name)
    .subarray(0, 40)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')}_${digest}_${suffix}`;
}

export interface TableDiff {
  readonly model: ModelTable;
  readonly known: KnownTable | undefined;
  readonly shape: TypeMapping;
  readonly tables: readonly ModelTable[];
  readonly changes: TableChange[];
  readonly warnings: PlanWarning[];
  /** Differing columns, with what cannot be built on them. */
  readonly unfit: ReadonlyMap<string, Misfit['blocks']>;
}

export const warn = (part: TableDiff, column: string | undefined, message: string, serious = true): number =>
  part.warnings.push({ table: part.model.table, column, message, serious });

export const hasSameColumns = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name));
