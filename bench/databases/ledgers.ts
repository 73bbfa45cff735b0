/**
 * The reset of each database to the same thousand accounts, and the effects of requests. The values are those of
 * `tables.ts`, so that the requests of a row are the same for every database.
 */
import { randomUUID } from 'node:crypto';
import { type Document, MongoClient, type ObjectId } from 'mongodb';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import type { Server } from '../server.js';
import { type Ledger, seeded, seededBalance, type Traces } from '../tables.js';

interface LedgerConnection {
  /** For a new, empty database. */
  readonly url: string;
  readonly ledger: Ledger;
  /** The version of the server. */
  readonly about: string;
  readonly end: () => Promise<void>;
}

const numbers = Array.from({ length: seeded }, (_, index) => index + 1);
const createAccount = (n: number) => ({
  owner: `Owner ${n}`,
  email: `owner${n}@example.com`,
  balance: n + 0.25,
  created_at: new Date(Date.parse('2026-01-02T03:04:05.678Z') + n * 60_000),
});

function toDatabaseUrl(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

const createDatabaseName = (): string => `bench_${randomUUID().replaceAll('-', '')}`;

export async function openMysqlLedger(server: string): Promise<LedgerConnection> {
  const name = createDatabaseName();
  const client = await mysql.createConnection({ uri: server, timezone: 'Z' });
  await client.query(`CREATE DATABASE ${name}`);
  await client.query(`USE ${name}`);
  const [[version]] = await client.query<RowDataPacket[]>('SELECT version() AS version');
  const accounts = numbers.map((n) => Object.values(createAccount(n)));
  const wallets = numbers.map((n) => [n, seededBalance]);
  return {
    url: toDatabaseUrl(server, name),
    about: String(version?.['version']),
    ledger: {
      async reset() {
        await client.query('TRUNCATE _account');
        await client.query('TRUNCATE _wallet');
        await client.query('INSERT INTO _account (owner, email, balance, created_at) VALUES ?', [accounts]);
        await client.query('INSERT INTO _wallet (id, balance) VALUES ?', [wallets]);
        await client.query('ANALYZE TABLE _account, _wallet');
      },
      async countTraces() {
        const [[left]] = await client.query<RowDataPacket[]>(
          'SELECT (SELECT count(*) FROM _account) AS accounts, (SELECT sum(balance) FROM _wallet) AS money',
        );
        return {
          accounts: Number(left?.['accounts']) - seeded,
          contacts: 0,
          money: Number(left?.['money']) - seeded * seededBalance,
        };
      },
    },
    end: () => client.end(),
  };
}

/** The keys of seeded documents are numbers. */
interface Account extends Document {
  readonly _id: number | ObjectId;
}

export async function openMongoLedger(server: string): Promise<LedgerConnection> {
  const url = toDatabaseUrl(server, createDatabaseName());
  const client = new MongoClient(url);
  await client.connect();
  const accounts = client.db().collection<Account>('_account');
  const { version } = (await client.db().admin().serverInfo()) as { readonly version?: string };
  const documents = numbers.map((n) => ({ _id: n, ...createAccount(n) }));
  return {
    url,
    about: version ?? '',
    ledger: {
      async reset() {
        // Not dropped: the collection has the rules of the model, for both services.
        await accounts.deleteMany({});
        await accounts.insertMany(documents);
      },
      countTraces: async () => ({ accounts: (await accounts.countDocuments()) - seeded, contacts: 0, money: 0 }),
    },
    end: () => client.close(),
  };
}

async function callEndpoint({ url, name }: Server, path: string, body: object = {}): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} on ${name}: ${response.status}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}

export const createEmbeddedTables = (): Ledger => ({
  reset: async (server) => void (await callEndpoint(server, 'bench-reset')),
  countTraces: async (server) => (await callEndpoint(server, 'bench-traces')) as Traces,
});

/** Seeded once; later documents are removed. */
export async function createEmbeddedDocuments(server: Server): Promise<Ledger> {
  for (const n of numbers) await callEndpoint(server, 'bench-seed', { _id: n, ...createAccount(n) });
  return {
    reset: async (asked) => void (await callEndpoint(asked, 'bench-reset')),
    countTraces: async (asked) => {
      const { count } = (await callEndpoint(asked, 'bench-traces')) as { readonly count: number };
      return { accounts: count, contacts: 0, money: 0 };
    },
  };
}
