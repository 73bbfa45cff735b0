/** From a store's options to the driver's, with defaults. */
import type { MongoClientOptions, TransactionOptions } from 'mongodb';
import { readLimits, type ResultLimits } from '../../shared/results.js';

export interface StoreSettings {
  readonly url: string;
  /** Null: the URL contains it. */
  readonly database: string | null;
  readonly client: MongoClientOptions;
  readonly transaction: TransactionOptions;
  /** Milliseconds that one call may take on the server. */
  readonly deadline: number;
  readonly limits: ResultLimits;
  /** Connections to one server at most. */
  readonly pool: number;
  /** Milliseconds that a call waits for one of them. */
  readonly poolWait: number;
}

const toNumber = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** The path segment between the hosts and the query string. */
const hasDatabase = (url: string): boolean => /^mongodb(?:\+srv)?:\/\/[^/]+\/[^?]/.test(url);

/** The same servers and user with another database. A URL may have several hosts, so it is no `URL`. */
export function nameDatabase(url: string, name: string): string {
  const [, servers = url, before = '', query = ''] = /^([^/]+\/\/[^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  // Users are looked up in the database of the URL.
  if (before !== '' && servers.includes('@') && !parameters.has('authSource')) parameters.set('authSource', before);
  return `${servers}/${name}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`;
}

/** Null: not a MongoDB URL. */
export function readMongoSettings(options: Readonly<Record<string, unknown>>): StoreSettings | null {
  const { url, database } = options;
  if (typeof url !== 'string' || !/^mongodb(?:\+srv)?:\/\/./.test(url)) return null;
  const deadline = Math.max(1, Math.round(toNumber(options['statement_timeout'], 10) * 1000));
  const wait = Math.max(1, Math.round(toNumber(options['pool_wait'], 2) * 1000));
  // Journaled; majority reads cannot be rolled back.
  const writeConcern = { w: 'majority', journal: true, wtimeoutMS: deadline } as const;
  const pool = toNumber(options['pool_size'], 10);
  return {
    url,
    pool,
    poolWait: wait,
    database: hasDatabase(url) ? null : typeof database === 'string' ? database : 'lintel',
    deadline,
    limits: readLimits(options),
    client: {
      appName: 'lintel',
      writeConcern,
      readConcern: { level: 'majority' },
      readPreference: 'primary',
      retryWrites: true,
      retryReads: true,
      // One more than calls occupy, for the check of readiness.
      maxPoolSize: pool + 1,
      waitQueueTimeoutMS: wait,
      serverSelectionTimeoutMS: wait,
      connectTimeoutMS: wait,
      maxIdleTimeMS: Math.round(toNumber(options['idle_timeout'], 30) * 1000),
      heartbeatFrequencyMS: 2000,
      // `Long` until `values.ts` converts them.
      promoteLongs: true,
    },
    transaction: {
      readConcern: { level: 'snapshot' },
      writeConcern,
      readPreference: 'primary',
      maxCommitTimeMS: deadline,
    },
  };
}
