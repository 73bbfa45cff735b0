/**
 * From the options of a connection in the config file to the options of `pg`, with the defaults of the product. Only
 * this file knows both vocabularies.
 */
import type { PoolConfig } from 'pg';
import type { Isolation } from '../../kinds/dialect.js';
import { readLimits, type ResultLimits } from '../../shared/results.js';
import { ISOLATION_LEVELS } from '../shared/isolation-levels.js';

export interface PostgresOptions {
  readonly client: PoolConfig;
  /** Connections that several reading statements share, and those that serve one caller at a time. */
  readonly readers: number;
  /** Of the pool, those that become shared ones for inserts where commits do not wait for the disk. */
  readonly inserters: number;
  readonly pool: number;
  /** Milliseconds after which a connection that does not answer is given up. */
  readonly deadline: number;
  /** Milliseconds that a statement waits for a connection. */
  readonly patience: number;
  readonly limits: ResultLimits;
  /** Level of isolation of a transaction that needs this. */
  readonly isolation: (need: Isolation) => string;
}

const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** Session settings of ours stand in front of those that the address may carry; pg would drop one of the two. */
function withSettings(url: string): { connectionString: string; options: string } {
  // A single statement begins no transaction that would say its level.
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
      // A transaction that its request forgot would hold its locks for ever.
      idle_in_transaction_session_timeout: statementTimeout + 30_000,
      connectionTimeoutMillis: patience,
      idleTimeoutMillis: number(options['idle_timeout'], 30) * 1000,
    },
    readers,
    inserters: Math.min(2, Math.floor((size - readers) / 3)),
    pool: size - readers,
    // The server has the same deadline, and goes first.
    deadline: statementTimeout + 500,
    patience,
    limits: readLimits(options),
    // The server finds conflicts among serializable transactions only: one that is not would not be noticed.
    isolation: ({ level, among }) =>
      isolation !== 'auto' ? isolation : among ? 'serializable' : ISOLATION_LEVELS[level],
  };
}
