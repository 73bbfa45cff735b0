/** Converts the options of a connection in the config to those of `pg`, with defaults. */
import type { PoolConfig } from 'pg';
import type { Isolation } from '../../kinds/dialect.js';
import { readLimits, type ResultLimits } from '../../shared/results.js';
import { ISOLATION_LEVELS } from '../shared/isolation-levels.js';

export interface PostgresOptions {
  readonly client: PoolConfig;
  /** Connections shared by reads, and connections leased to one caller at a time. */
  readonly readers: number;
  /** Pool connections that become shared ones for inserts where commits do not wait for the disk. */
  readonly inserters: number;
  readonly pool: number;
  /** Milliseconds after which an unresponsive connection is closed. */
  readonly deadline: number;
  /** Milliseconds that a statement waits for a connection. */
  readonly patience: number;
  readonly limits: ResultLimits;
  /** The isolation level for each need of a transaction. */
  readonly isolation: (need: Isolation) => string;
}

const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** Merges our session settings with those of the address, because pg would drop one of the two. */
function withSettings(url: string): { connectionString: string; options: string } {
  // Statements outside a transaction have no BEGIN that would set the level.
  const settings = '-c TimeZone=UTC -c DateStyle=ISO -c default_transaction_isolation=read\\ committed';
  let address: URL;
  try {
    address = new URL(url);
  } catch {
    return { connectionString: url, options: settings };
  }
  const own = address.searchParams.get('options');
  if (own === null) return { connectionString: url, options: settings };
  address.searchParams.delete('options');
  return { connectionString: address.href, options: `${own} ${settings}` };
}

export function readOptions(options: Readonly<Record<string, unknown>>): PostgresOptions {
  const size = number(options['pool_size'], 10);
  const statementTimeout = number(options['statement_timeout'], 10) * 1000;
  const patience = number(options['pool_wait'], 2) * 1000;
  const isolation = typeof options['isolation'] === 'string' ? options['isolation'] : 'auto';
  const readers = Math.min(4, Math.floor(size / 3));
  return {
    client: {
      ...withSettings(typeof options['url'] === 'string' ? options['url'] : ''),
      application_name: 'lintel',
      keepAlive: true,
      statement_timeout: statementTimeout,
      // An abandoned transaction would hold its locks indefinitely.
      idle_in_transaction_session_timeout: statementTimeout + 30_000,
      connectionTimeoutMillis: patience,
      idleTimeoutMillis: number(options['idle_timeout'], 30) * 1000,
    },
    readers,
    inserters: Math.min(2, Math.floor((size - readers) / 3)),
    pool: size - readers,
    // The server enforces the same deadline, 500 ms earlier.
    deadline: statementTimeout + 500,
    patience,
    limits: readLimits(options),
    // PostgreSQL detects conflicts only among serializable transactions, so all transactions on these tables are serializable.
    isolation: ({ level, among }) =>
      isolation !== 'auto' ? isolation : among ? 'serializable' : ISOLATION_LEVELS[level],
  };
}
