/** Converts the driver's results to one form for reads and writes. */
import type { FieldPacket } from 'mysql2';

export interface StatementResult {
  /** Null: the statement returns no rows. */
  readonly rows: readonly (readonly unknown[])[] | null;
  readonly fields: readonly FieldPacket[];
  readonly insertId: string;
  readonly affected: number;
}

interface Header {
  readonly insertId?: number | string;
  readonly affectedRows?: number;
}

export const toStatementResult = (result: unknown, fields: readonly FieldPacket[] | undefined): StatementResult => {
  const rows = Array.isArray(result) ? (result as readonly (readonly unknown[])[]) : null;
  const { insertId = 0, affectedRows = 0 } = rows ? {} : (result as Header);
  return { rows, fields: fields ?? [], insertId: String(insertId), affected: affectedRows };
};
