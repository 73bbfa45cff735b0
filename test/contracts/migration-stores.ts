/** The databases of migration tests, each as a separate store with a function that runs plain SQL. */
import mysql from 'mysql2/promise';
import type { MigrationOutline } from '../../contract/migration.js';
import type { ModelTable } from '../../contract/model.js';
import { createMysqlTarget } from '../../plugins/dialects/mysql/migrate.js';
import { createWithSession } from '../../plugins/dialects/mysql/runtime.js';
import { readMysqlOptions } from '../../plugins/dialects/mysql/options.js';
import pglite from '../../plugins/dialects/pglite/runtime.js';
import postgres from '../../plugins/dialects/postgres/runtime.js';
import { migrate, outlineMigration } from '../../plugins/dialects/shared/migrate.js';
import type { MigrationTarget } from '../../plugins/dialects/shared/migration-types.js';
import { createMysqlDatabase, startMysql, type MysqlFlavour } from '../support/mysql.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { openDialect } from './dialect-open.js';
import { createRunner } from './dialect-support.js';

export type Cells = Readonly<Record<string, unknown>>;

export interface SchemaSyncResult {
  readonly warnings: string[];
  readonly statements: string[];
  readonly progress: string[];
}

export interface MigratedStore {
  syncSchema(tables: readonly ModelTable[], destroy?: boolean): Promise<SchemaSyncResult>;
  plan(tables: readonly ModelTable[], destroy?: boolean): Promise<MigrationOutline>;
  run(sql: string): Promise<readonly Cells[]>;
  close(): Promise<void>;
}

const doNothing = (): void => {};

/** Called with each statement of a migration before it is sent. */
export type StatementListener = (sql: string) => void;

const createSessionStore = (url: string, before: StatementListener): MigrationTarget => {
  const read = readMysqlOptions({ url });
  if (read === null) throw new Error('no address');
  const own = createWithSession(read);
  return createMysqlTarget(
    (work) =>
      own((session) =>
        work({
          query: (sql, values) => {
            before(sql);
            return session.query(sql, values);
          },
        }),
      ),
    'main',
  );
};

export async function openMysql(
  flavour: MysqlFlavour,
  before: StatementListener = doNothing,
): Promise<MigratedStore | { readonly skip: string }> {
  const found = await startMysql(flavour);
  if ('skip' in found) return found;
  const url = await createMysqlDatabase(flavour);
  const connection = await mysql.createConnection({ uri: url });
  const store = createSessionStore(url, before);
  return {
    async syncSchema(tables, destroy = false) {
      const reported: SchemaSyncResult = { warnings: [], statements: [], progress: [] };
      const log = {
        info: doNothing,
        error: doNothing,
        warn: (_: unknown, message: string) => void reported.warnings.push(message),
        debug: (fields: object) => void ('sql' in fields && reported.statements.push(String(fields.sql))),
      };
      const recordProgress = (step: { table: string; change: string; detail: string }, at: number, of: number): void =>
        void reported.progress.push(`${at}/${of} main ${step.table} ${step.change} ${step.detail}`);
      await migrate(store, tables, { log, progress: recordProgress, how: { destroy } });
      return reported;
    },
    plan: (tables, destroy = false) => outlineMigration(store, tables, { destroy }),
    run: async (sql) => {
      const [rows] = await connection.query(sql);
      return Array.isArray(rows) ? (rows as Cells[]) : [];
    },
    close: () => Promise.resolve(connection.destroy()),
  };
}

async function openPostgres(embedded: boolean): Promise<MigratedStore | { readonly skip: string }> {
  if (!embedded) {
    const server = await startPostgres();
    if ('skip' in server) return server;
  }
  const opened = embedded
    ? await openDialect(pglite, { path: 'memory://' })
    : await openDialect(postgres, { url: await createPostgresDatabase() });
  const run = createRunner(() => opened.handle);
  return {
    syncSchema: (tables, destroy) => opened.syncSchema(tables, destroy),
    plan: (tables, destroy) => opened.plan(tables, destroy),
    run: (sql) => run(sql),
    close: () => opened.close(),
  };
}

/** By name; a missing server is a reason to skip. */
export const STORES: Readonly<Record<string, () => Promise<MigratedStore | { readonly skip: string }>>> = {
  pglite: () => openPostgres(true),
  postgres: () => openPostgres(false),
  mariadb: () => openMysql('mariadb'),
  mysql: () => openMysql('mysql'),
};
