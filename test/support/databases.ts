/**
 * Every database of the interface for suites: SQL databases and document stores, each new and empty, or the reason why
 * there is none. The address of a server is returned, so that a proxy can be placed in between. Nothing is asserted
 * here.
 */
import { createMongoDatabase, startMongo } from './mongo.js';
import { createMysqlDatabase, startMysql, type MysqlFlavour } from './mysql.js';
import { createPostgresDatabase, startPostgres } from './postgres.js';
import { startKernel, type TestKernel, type TestKernelOptions } from './kernel.js';
import { chooseDatabases } from './short-run.js';
import { skipTest } from './skip.js';

export type SqlName = 'pglite' | 'postgres' | MysqlFlavour;
export type StoreName = 'embedded' | 'mongodb';

/** Fields of the config with a database at this address. */
export type ConfigAt = (url: string, options?: object) => Readonly<Record<string, unknown>>;

export interface Database<Name extends string = string> {
  readonly name: Name;
  /** Null: it runs inside the process. Otherwise the address of a new, empty one. */
  readonly make: (() => Promise<string | { readonly skip: string }>) | null;
  readonly config: ConfigAt;
}

const LITE = { main: { use: 'pglite', path: 'memory://' } };

const onMysql = (name: MysqlFlavour): Database<SqlName> => ({
  name,
  async make() {
    const server = await startMysql(name);
    return 'skip' in server ? server : createMysqlDatabase(name);
  },
  config: (url, options) => ({ connections: { main: { use: 'mysql', url, ...options } } }),
});

export const SQL: readonly Database<SqlName>[] = [
  { name: 'pglite', make: null, config: () => ({ connections: LITE }) },
  {
    name: 'postgres',
    async make() {
      const server = await startPostgres();
      return 'skip' in server ? server : createPostgresDatabase();
    },
    config: (url, options) => ({ connections: { main: { use: 'postgres', url, ...options } } }),
  },
  onMysql('mariadb'),
  onMysql('mysql'),
];

export const STORES: readonly Database<StoreName>[] = [
  { name: 'embedded', make: null, config: () => ({ connections: LITE, documents: { main: { use: 'embedded' } } }) },
  {
    name: 'mongodb',
    async make() {
      const server = await startMongo();
      return 'skip' in server ? server : createMongoDatabase();
    },
    config: (url, options) => ({ connections: LITE, documents: { main: { use: 'mongodb', url, ...options } } }),
  },
];

/** Config and environment of a new, empty one, or the reason why there is none. */
export async function createDatabase({
  make,
  config,
}: Database): Promise<{ readonly config: object; readonly env: Record<string, string> } | { readonly skip: string }> {
  const url = make === null ? '' : await make();
  return typeof url === 'string' ? { config: config('$ENV.DATABASE'), env: { DATABASE: url } } : url;
}

/** One suite on each of them, with a kernel started before and closed after it. */
export function describeOnEach<Name extends string>(
  title: string,
  databases: readonly Database<Name>[],
  given: TestKernelOptions | ((name: Name) => TestKernelOptions),
  suite: (kernel: () => TestKernel, name: Name) => void,
): void {
  for (const database of chooseDatabases(databases, ({ name }) => name)) {
    const { name } = database;
    const options = typeof given === 'function' ? given(name) : given;
    describe(`${title} (${name})`, () => {
      let started: TestKernel | undefined;
      before(async function () {
        const found = await createDatabase(database);
        if ('skip' in found) return skipTest(this, found.skip);
        const config = { ...options.config, ...found.config };
        started = await startKernel({ ...options, config, env: { ...options.env, ...found.env } });
      });
      after(() => started?.close());
      suite(() => {
        if (started === undefined) throw new Error('the kernel is not running');
        return started;
      }, name);
    });
  }
}

/** A resource with one query of documents. */
export const defineDocumentResource = (id: string, query: object, rest: object = {}, more: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'QUERY', mongo_query: query, ...rest }],
  ...more,
});
