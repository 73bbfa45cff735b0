/** Opens the MongoDB connection of a queue. Writes are journaled on a majority of the servers. */
import type { JobRepository } from 'agenda';
import type { Collection, Document, MongoClient, MongoClientOptions, ObjectId } from 'mongodb';

export interface Job extends Document {
  readonly _id: ObjectId;
}

export interface MongoQueueConnection {
  readonly client: MongoClient;
  readonly jobs: Collection<Job>;
  readonly repository: JobRepository;
  readonly toObjectId: (digits: string) => ObjectId;
  /** Not a replica set, so multi-document transactions are not supported. */
  readonly isStandalone: boolean;
}

export interface Server {
  /** The next call tries again. */
  getConnection(): Promise<MongoQueueConnection>;
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly url: string;
  /** Used when the URL contains no database. */
  readonly database: string;
  readonly collection: string;
}

/** Milliseconds. */
const SILENCE_TIMEOUT = 5000;
const CONNECT_TIMEOUT = 800;

const OPTIONS: MongoClientOptions = {
  appName: 'lintel queue',
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'local' },
  readPreference: 'primary',
  retryWrites: true,
  retryReads: true,
  serverSelectionTimeoutMS: CONNECT_TIMEOUT,
  connectTimeoutMS: CONNECT_TIMEOUT,
  waitQueueTimeoutMS: SILENCE_TIMEOUT,
  socketTimeoutMS: SILENCE_TIMEOUT,
  heartbeatFrequencyMS: 2000,
  maxPoolSize: 20,
};

const INDEXES = [
  { name: 'lintel_order', key: { state: 1, priority: -1, addedAt: 1, number: 1 } },
  { name: 'lintel_due', key: { state: 1, nextRunAt: 1 } },
  { name: 'lintel_lease', key: { state: 1, leaseUntil: 1 } },
] as const;

export function createServer({ url, database, collection }: ServerOptions): Server {
  let opening: Promise<MongoQueueConnection> | null = null;
  let closed = false;

  /** A client cannot be reused after a failed connection. */
  async function open(): Promise<MongoQueueConnection> {
    const { ObjectId: Id } = await import('mongodb');
    const { createMongoClient } = await import('../../shared/mongo-client.js');
    const { MongoBackend } = await import('@agendajs/mongo-backend');
    const client = createMongoClient(url, OPTIONS);
    try {
      await client.connect();
      const db = client.db(hasDatabase(url) ? undefined : database);
      const hello = (await db.admin().command({ hello: 1 })) as { readonly setName?: string; readonly msg?: string };
      const { repository } = new MongoBackend({ mongo: db, collection });
      await repository.connect();
      const jobs = db.collection<Job>(collection);
      // Existing indexes are left unchanged.
      await jobs.createIndexes(INDEXES.map(({ name, key }) => ({ name, key: { ...key } })));
      const toObjectId = (digits: string): ObjectId => Id.createFromHexString(digits);
      return {
        client,
        jobs,
        repository,
        toObjectId,
        isStandalone: hello.setName === undefined && hello.msg !== 'isdbgrid',
      };
    } catch (error) {
      await client.close().catch(() => undefined);
      throw error;
    }
  }

  return {
    getConnection() {
      if (closed) return Promise.reject(new Error('the queue is closed'));
      return (opening ??= open().catch((error: unknown) => {
        opening = null;
        throw error;
      }));
    },
    async close() {
      closed = true;
      const found = await opening?.catch(() => undefined);
      await found?.client.close();
    },
  };
}

/** The path segment between the hosts and the query string. */
const hasDatabase = (url: string): boolean => /^mongodb(?:\+srv)?:\/\/[^/]+\/[^?]/.test(url);
