/** Storage of an inbox: a table of a SQL database, or a collection of documents. */
import type { SharedUnit } from '../../../contract/plan.js';
import { dialect, type Dialect } from '../../dialects/kind.js';
import { documentStore, type DocumentStore, type DocumentTransaction } from '../../document-stores/kind.js';

/** `job` and `step` are hashes that form the key; `id` is that of the job. */
export interface InboxRow {
  readonly job: string;
  readonly step: string;
  readonly id: string;
  readonly body: string;
}

export interface InboxStore {
  make(): Promise<void>;
  read(job: string): Promise<readonly string[]>;
  /** Rejects when the row exists. */
  add(row: InboxRow, transaction: unknown): Promise<void>;
  remove(job: string): Promise<void>;
  /** Ids of jobs with notes older than one day. */
  listOldJobs(): Promise<readonly string[]>;
}

/** Null: this kind of transaction cannot store notes. */
export function resolveInboxStore({ kind, handle }: SharedUnit): InboxStore | null {
  if (kind === dialect.kind) return createTableStore(handle as Dialect);
  return kind === documentStore.kind ? createCollectionStore(handle as DocumentStore) : null;
}

const DAY_MS = 86_400_000;
const MOST = 100;
/** Not indexed, so `id` and `body` have any length. */
const MAKE = `CREATE TABLE IF NOT EXISTS lintel_inbox (
  job char(64) NOT NULL, step char(64) NOT NULL, id text NOT NULL, body TEXT_TYPE NOT NULL, made_at bigint NOT NULL,
  PRIMARY KEY (job, step))`;

function createTableStore(connection: Dialect): InboxStore {
  const run = (text: string, values: readonly unknown[] = [], transaction: unknown = null) =>
    connection.execute(text, values, transaction);
  const selectColumn = (name: string) => (rows: readonly Readonly<Record<string, unknown>>[]) =>
    rows.map((row) => String(row[name]));
  return {
    async make() {
      const [row] = await run('SELECT version() AS version');
      const isPostgres = String(row?.['version']).startsWith('PostgreSQL');
      const text = MAKE.replace('TEXT_TYPE', isPostgres ? 'text' : 'longtext');
      // Two processes may collide; the second attempt finds the table.
      await run(text).catch(() => run(text));
    },
    read: async (job) => selectColumn('body')(await run('SELECT body FROM lintel_inbox WHERE job = $1', [job])),
    async add({ job, step, id, body }, transaction) {
      const text = 'INSERT INTO lintel_inbox (job, step, id, body, made_at) VALUES ($1, $2, $3, $4, $5)';
      await run(text, [job, step, id, body, Date.now()], transaction);
    },
    remove: async (job) => void (await run('DELETE FROM lintel_inbox WHERE job = $1', [job])),
    listOldJobs: async () =>
      selectColumn('id')(
        await run(`SELECT DISTINCT id FROM lintel_inbox WHERE made_at < $1 LIMIT ${MOST}`, [Date.now() - DAY_MS]),
      ),
  };
}

const COLLECTION = 'lintel_inbox';

function createCollectionStore(store: DocumentStore): InboxStore {
  return {
    make: () => Promise.resolve(),
    read: async (job) => (await store.find(COLLECTION, { job }, {}, null)).map(({ body }) => String(body)),
    async add({ job, step, id, body }, transaction) {
      const document = { _id: `${job}${step}`, job, id, body, made_at: Date.now() };
      await store.insert(COLLECTION, [document], transaction as DocumentTransaction | null);
    },
    remove: async (job) => void (await store.remove(COLLECTION, { job }, {}, null)),
    async listOldJobs() {
      const found = await store.find(COLLECTION, { made_at: { $lt: Date.now() - DAY_MS } }, { limit: MOST }, null);
      return [...new Set(found.map(({ id }) => String(id)))];
    },
  };
}
