/** Converts the options of a connection to those of `pg`, with defaults. */
import type { PoolConfig } from 'pg';
import type { Isolation } from '../kind.js';
import { readLimits, type ResultLimits } from '../../shared/results.js';
import { ISOLATION_LEVELS } from '../shared/isolation-levels.js';

export interface PostgresOptions {
  readonly client: PoolConfig;
  /** Shared connections for reads. */
  readonly readers: number;
  /** Shared for inserts where commits do not wait for the disk. */
  readonly inserters: number;
  readonly pool: number;
  /** Milliseconds after which an unresponsive connection or a stream ends. */
  readonly deadline: number;
  /** Milliseconds that a statement waits for a connection. */
  readonly patience: number;
  readonly limits: ResultLimits;
  /** Limits apply to every result, so none is streamed. */
  readonly streams: boolean;
  readonly isReplica: boolean;
  readonly isolation: (need: Isolation) => string;
}

const toNumber = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** pg would drop our settings or those of the address. */
function withSettings(url: string): { connectionString: string; options: string } {
  // Statements outside a transaction have no BEGIN to set the level.
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

export function readPostgresOptions(options: Readonly<Record<string, unknown>>): PostgresOptions {
  const size = toNumber(options['pool_size'], 10);
  const statementTimeout = toNumber(options['statement_timeout'], 10) * 1000;
  const patience = toNumber(options['pool_wait'], 2) * 1000;
  const isolation = typeof options['isolation'] === 'string' ? options['isolation'] : 'auto';
  const isReplica = options['replica_of'] !== undefined;
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
      idleTimeoutMillis: toNumber(options['idle_timeout'], 30) * 1000,
    },
    readers,
    inserters: Math.min(2, Math.floor((size - readers) / 3)),
    pool: size - readers,
    // Later than that of the server.
    deadline: statementTimeout + 500,
    patience,
    limits: readLimits(options),
    streams: options['result_rows'] === undefined && options['result_bytes'] === undefined,
    isReplica,
    // A replica has no serializable transactions. PostgreSQL detects conflicts only among them.
    isolation: ({ level, among }) => {
      const chosen = isolation !== 'auto' ? isolation : among ? 'serializable' : ISOLATION_LEVELS[level];
      return isReplica && chosen === 'serializable' ? 'repeatable read' : chosen;
    },
  };
}
