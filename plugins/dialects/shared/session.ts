/** The session of a migration, which runs plain statements one after the other. Implemented by each dialect. */
import type { Row } from '../../kinds/dialect.js';

export interface Session {
  /** Without values, the text may contain several statements. */
  query(text: string, values?: readonly (string | null)[]): Promise<readonly Row[]>;
}

/** Runs `work` in one transaction on one connection; rolls back when it throws. */
export type WithSession = <T>(work: (session: Session) => Promise<T>) => Promise<T>;
