/** The session of a migration. Implemented by each dialect. */
import type { Row } from '../kind.js';

export interface MigrationSession {
  /** Without values, the text may contain several statements. */
  query(text: string, values?: readonly (string | null)[]): Promise<readonly Row[]>;
}

/** In one transaction; rolls back when `work` throws. */
export type WithSession = <T>(work: (session: MigrationSession) => Promise<T>) => Promise<T>;
