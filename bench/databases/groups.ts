/**
 * The groups of `--databases`: the servers of each, the rows that they answer, and the reset of their data. A group opens
 * its database when it is measured and closes it afterwards.
 */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerOrSkip } from '../../test/support/guarded-server.js';
import { startOwnMongo } from '../../test/support/mongo.js';
import { startOwnMysql, type MysqlFlavour } from '../../test/support/mysql.js';
import { onCleanup } from '../cleanup.js';
import { startDatabase } from '../database.js';
import { type Cores, listDescendants, pinRunning } from '../proc.js';
import { type Row, rows } from '../rows.js';
import { type Server, startServer } from '../server.js';
import { createTables, type Ledger, createTableLedger } from '../tables.js';
import { documentBaseline, createLintelTarget, mysqlBaseline, type Target } from '../targets.js';
import { createEmbeddedDocuments, createEmbeddedTables, openMongoLedger, openMysqlLedger } from './ledgers.js';
import { createDocumentHome, createTableHome } from './config-folders.js';

export interface GroupOptions {
  readonly folder: string;
  readonly cores: Cores | null;
  readonly connections: number;
}

export interface Group {
  readonly title: string;
  readonly about: string;
  readonly rows: readonly Row[];
  /** The first one is the reference. */
  readonly servers: readonly Server[];
  readonly ledger: Ledger;
  readonly connections: number;
  readonly close: () => Promise<void>;
}

export interface GroupOpener {
  /** The name in `--rows`. */
  readonly name: 'mysql' | 'mariadb' | 'mongodb' | 'embedded';
  readonly open: (given: GroupOptions) => Promise<ServerOrSkip<Group>>;
}

export const groupOpeners: readonly GroupOpener[] = [
  { name: 'mysql', open: (given) => openMysql('mysql', 'MySQL', given) },
  { name: 'mariadb', open: (given) => openMysql('mariadb', 'MariaDB', given) },
  { name: 'mongodb', open: openMongo },
  { name: 'embedded', open: openEmbeddedTables },
  { name: 'embedded', open: openEmbeddedDocuments },
];

const readingAndWriting = ['account-mine', 'account-read', 'account-create', 'account-list'];
const tableRows = rows.filter(({ name }) => [...readingAndWriting, 'wallet-add'].includes(name));

/** An inserted document has a key that MongoDB generates. */
const isObjectId = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{24}$/.test(value);

const documentRows = rows
  .filter(({ name }) => readingAndWriting.includes(name))
  .map((row): Row => {
    const { created_at } = row.varying;
    return created_at === undefined ? row : { ...row, varying: { _id: isObjectId, created_at } };
  });

/** Connections to an emulated server, which serves no more at a time. */
const limitConnections = (connections: number): number => Math.min(connections, 8);

const emulated =
  process.env['TEST_MONGOD'] === undefined ? 'mongod' : 'mongod as TEST_MONGOD starts it, which may be emulated';

/** Keeps the servers of this group off the core of the measured process. A group ends before the next one starts. */
function pinToRest({ cores }: GroupOptions): void {
  if (cores !== null) pinRunning(cores.rest, listDescendants(process.pid));
}

/** In reverse order, also if the run ends early. */
function createCloser(steps: readonly (() => Promise<void>)[]): () => Promise<void> {
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closed ??= (async () => {
      for (const step of [...steps].reverse()) await step();
    })());
  onCleanup(close);
  return close;
}

const serve = (target: Target, variables: Record<string, string>, { cores }: GroupOptions): Promise<Server> =>
  startServer(target, variables, cores?.server);

async function openMysql(flavour: MysqlFlavour, title: string, given: GroupOptions): Promise<ServerOrSkip<Group>> {
  const database = await startOwnMysql(flavour);
  if ('skip' in database) return database;
  const stopDatabase = onCleanup(database.stop);
  pinToRest(given);
  const { url, ledger, about, end } = await openMysqlLedger(database.url);
  const home = await createTableHome(given.folder, { use: 'mysql', url: '$ENV.MYSQL_URL' });
  // Lintel creates the tables of its models, so it starts first.
  const lintel = await serve(createLintelTarget('lintel', home), { MYSQL_URL: url }, given);
  const baseline = await serve(mysqlBaseline, { MYSQL_URL: url }, given);
  stopDatabase();
  return {
    title,
    about: `${title} ${about}; a commit does not wait for the disk`,
    rows: tableRows,
    servers: [baseline, lintel],
    ledger,
    connections: given.connections,
    close: createCloser([database.stop, end, lintel.stop, baseline.stop]),
  };
}

async function openMongo(given: GroupOptions): Promise<ServerOrSkip<Group>> {
  const database = await startOwnMongo();
  if ('skip' in database) return database;
  const stopDatabase = onCleanup(database.stop);
  pinToRest(given);
  const { url, ledger, about, end } = await openMongoLedger(database.url);
  const home = await createDocumentHome(given.folder, { use: 'mongodb', url: '$ENV.MONGO_URL' });
  const lintel = await serve(createLintelTarget('lintel', home), { MONGO_URL: url }, given);
  const baseline = await serve(documentBaseline, { MONGO_URL: url }, given);
  stopDatabase();
  return {
    title: 'MongoDB',
    about: `MongoDB ${about} (${emulated}); an answer waits for the disk`,
    rows: documentRows,
    servers: [baseline, lintel],
    ledger,
    connections: limitConnections(given.connections),
    close: createCloser([database.stop, end, lintel.stop, baseline.stop]),
  };
}

async function openEmbeddedTables(given: GroupOptions): Promise<Group> {
  const database = await startDatabase(given.cores?.rest, false);
  await createTables(database.client);
  const onServer = await createTableHome(given.folder, { use: 'postgres', url: '$ENV.DATABASE_URL' });
  const alone = await createTableHome(given.folder, { use: 'pglite', path: await storeIn(given.folder) }, 'tables');
  const server = await serve(createLintelTarget('PostgreSQL', onServer), { DATABASE_URL: database.url }, given);
  const embedded = await serve(createLintelTarget('PGlite', alone), {}, given);
  const [kept, own] = [createTableLedger(database.client), createEmbeddedTables()];
  return {
    title: 'Embedded tables',
    about: `lintel on ${database.description}, and on PGlite, which works in the process of the server`,
    rows: tableRows,
    servers: [server, embedded],
    ledger: split(embedded, own, kept),
    connections: given.connections,
    // The database stops at the end of the run.
    close: createCloser([server.stop, embedded.stop]),
  };
}

async function openEmbeddedDocuments(given: GroupOptions): Promise<ServerOrSkip<Group>> {
  const database = await startOwnMongo();
  if ('skip' in database) return database;
  const stopDatabase = onCleanup(database.stop);
  pinToRest(given);
  const { url, ledger, about, end } = await openMongoLedger(database.url);
  const onServer = await createDocumentHome(given.folder, { use: 'mongodb', url: '$ENV.MONGO_URL' });
  const alone = await createDocumentHome(given.folder, { use: 'embedded' }, 'documents', await storeIn(given.folder));
  const server = await serve(createLintelTarget('mongod', onServer), { MONGO_URL: url }, given);
  const embedded = await serve(createLintelTarget('embedded', alone), {}, given);
  const own = await createEmbeddedDocuments(embedded);
  stopDatabase();
  return {
    title: 'Embedded documents',
    about: `lintel on MongoDB ${about} (${emulated}: no claim), and on documents in PGlite`,
    rows: documentRows,
    servers: [server, embedded],
    ledger: split(embedded, own, ledger),
    connections: limitConnections(given.connections),
    close: createCloser([database.stop, end, server.stop, embedded.stop]),
  };
}

const storeIn = (folder: string): Promise<string> => mkdtemp(join(folder, 'store-'));

/** An embedded database is accessible only through its own server. */
const split = (embedded: Server, own: Ledger, others: Ledger): Ledger => ({
  reset: (server) => (server === embedded ? own : others).reset(server),
  countTraces: (server) => (server === embedded ? own : others).countTraces(server),
});
