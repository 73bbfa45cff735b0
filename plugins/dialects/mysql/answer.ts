/** What the driver gives for a statement, as one form: rows, or what was written. */
import type { FieldPacket } from 'mysql2';

/** What a statement answered. */
export interface Answer {
  /** Null: it gives no rows. */
  readonly rows: readonly (readonly unknown[])[] | null;
  readonly fields: readonly FieldPacket[];
  readonly insertId: string;
  readonly affected: number;
}

interface Header {
  readonly insertId?: number | string;
  readonly affectedRows?: number;
}

export const answerOf = (result: unknown, fields: readonly FieldPacket[] | undefined): Answer => {
  const rows = Array.isArray(result) ? (result as readonly (readonly unknown[])[]) : null;
  const { insertId = 0, affectedRows = 0 } = rows ? {} : (result as Header);
  return { rows, fields: fields ?? [], insertId: String(insertId), affected: affectedRows };
};
