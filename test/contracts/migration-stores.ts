/** The databases that migrations are tested on, each as a store of its own with a way to run plain SQL beside it. */
import mysql from 'mysql2/promise';
import type { MigrationOutline } from '../../contract/migration.js';
import type { ModelTable } from '../../contract/model.js';
import { mysqlMigrated } from '../../plugins/dialects/mysql/migrate.js';
import { sessionsOn } from '../../plugins/dialects/mysql/migration-session.js';
import { readOptions } from '../../plugins/dialects/mysql/options.js';
import pglite from '../../plugins/dialects/pglite/runtime.js';
import postgres from '../../plugins/dialects/postgres/runtime.js';
import { migrate, outline, type Migrated } from '../../plugins/dialects/shared/migrate.js';
import { freshMysql, startMysql, type MysqlFlavour } from '../support/mysql.js';
import { freshDatabase, startPostgres } from '../support/postgres.js';
import { openDialect } from './dialect-open.js';
import { runner } from './dialect-support.js';

export type Cells = Readonly<Record<string, unknown>>;

export interface Adopted {
  readonly warnings: string[];
  readonly statements: string[];
  readonly progress: string[];
}

export interface MigratedStore {
  adopt(tables: readonly ModelTable[], destroy?: boolean): Promise<Adopted>;
  plan(tables: readonly ModelTable[], destroy?: boolean): Promise<MigrationOutline>;
  run(sql: string): Promise<readonly Cells[]>;
  close(): Promise<void>;
}

const ignore = (): void => {};

/** Hears of each statement of a migration before it is sent. */
export type Before = (sql: string) => void;

const sessions = (url: string, before: Before): Migrated => {
  const read = readOptions({ url });
  if (read === null) throw new Error('no address');
  const own = sessionsOn(read);
  return mysqlMigrated(
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
  before: Before = ignore,
): Promise<MigratedStore | { readonly skip: string }> {
  const found = await startMysql(flavour);
  if ('skip' in found) return found;
  const url = await freshMysql(flavour);
  const connection = await mysql.createConnection({ uri: url });
  const store = sessions(url, before);
  return {
    async adopt(tables, destroy = false) {
      const told: Adopted = { warnings: [], statements: [], progress: [] };
      const log = {
        info: ignore,
        error: ignore,
        warn: (_: unknown, message: string) => void told.warnings.push(message),
        debug: (fields: object) => void ('sql' in fields && told.statements.push(String(fields.sql))),
      };
      const progress = (step: { table: string; change: string; detail: string }, at: number, of: number): void =>
        void told.progress.push(`${at}/${of} main ${step.table} ${step.change} ${step.detail}`);
      await migrate(store, tables, { log, progress, how: { destroy } });
      return told;
    },
    plan: (tables, destroy = false) => outline(store, tables, { destroy }),
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
    : await openDialect(postgres, { url: await freshDatabase() });
  const run = runner(() => opened.handle);
  return {
    adopt: (tables, destroy) => opened.adopt(tables, destroy),
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
