/**
 * What the migration needs of a connection: a session that runs plain statements one after the other. Each dialect
 * brings its own; nothing here knows a driver.
 */
import type { Row } from '../../kinds/dialect.js';

export interface Session {
  /** Without values these may be several statements. */
  query(text: string, values?: readonly (string | null)[]): Promise<readonly Row[]>;
}

/** Runs work in one transaction on one connection; rolls back when it throws. */
export type WithSession = <T>(work: (session: Session) => Promise<T>) => Promise<T>;
