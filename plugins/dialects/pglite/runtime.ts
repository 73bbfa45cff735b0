/** Opens, migrates and closes the embedded database. Only `open` loads the engine, which takes a second. */
import { fillBlindIndexes } from '../shared/fill-indexes.js';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PGlite, Results } from '@electric-sql/pglite';
import { createFault } from '../../../contract/fault.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { stopOptimizing } from '../../../language/project/wasm-tiering.js';
import { readLimits, UNBOUNDED } from '../../shared/results.js';
import { dialect } from '../kind.js';
import type { Dialect, Row } from '../kind.js';
import { createConnectFault } from '../shared/connect.js';
import { migrate, outlineMigration } from '../shared/migrate.js';
import type { MigrationTarget } from '../shared/migration-types.js';
import type { WithSession } from '../shared/session.js';
import { OBJECTS } from '../shared/postgres-objects.js';
import { postgresFlavour } from '../shared/postgres-flavour.js';
import { parsers } from '../shared/types.js';
import { boundResults } from './bounded-results.js';
import { createPgliteDialect } from './dialect.js';
import { createStatements, type EngineStatements } from './statements.js';
import { checkFolder } from './folder.js';
import { holdFolder, listenForCopies } from './copy-hold.js';
import { lockFolder } from './lock.js';
import { analyzeStatements, createScratch } from './scratch.js';
import { BufferBlob, loadTemplate } from './template.js';
import { createTestStore } from '../shared/postgres-test-store.js';
import { createTableRows, POSTGRES_STATEMENTS } from '../shared/table-rows.light.js';

interface Engine {
  readonly db: PGlite;
  readonly statements: EngineStatements;
  /** Null in memory. */
  readonly leave: { readonly offer: () => Promise<void>; readonly unlock: () => Promise<void> } | null;
}

// A global of Node that its type definitions lack.
type EngineModule = object;
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => EngineModule };

interface PgliteStore extends Dialect {
  /** Null unless it is open. */
  engine: Engine | null;
}

const MEMORY = 'memory://';

/** `place`: the folder; null in memory. */
function resolveDataPath(options: RuntimeContext['options'], folder: string): { path: string; place: string | null } {
  const path = typeof options['path'] === 'string' ? options['path'] : '.lintel/data';
  return { path, place: path.startsWith(MEMORY) ? null : resolve(folder, path) };
}

function requireEngine({ engine }: PgliteStore): Engine {
  if (engine === null) throw createFault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': '1' } });
  return engine;
}
const requireDatabase = (handle: PgliteStore): PGlite => requireEngine(handle).db;

function createWithSession(handle: PgliteStore): WithSession {
  const { db, statements } = requireEngine(handle);
  return (work) =>
    db
      .transaction((inner) =>
        work({
          query: async (text, values) =>
            values === undefined
              ? ((await inner.exec(text)) as Results<Row>[]).flatMap(({ rows }) => rows)
              : (await inner.query<Row>(text, [...values])).rows,
        }),
      )
      .finally(() => statements.closeAll());
}

const createTarget = (handle: PgliteStore, store: string): MigrationTarget => ({
  withSession: createWithSession(handle),
  flavour: () => postgresFlavour,
  store,
});

/** Buffers are resident; with 2 MB, rows of large tables take twice the time. The one session has the locks of a hundred. */
const SETTINGS = [
  'shared_buffers=4MB',
  'max_connections=1',
  'max_wal_senders=0',
  'max_replication_slots=0',
  'autovacuum_worker_slots=1',
  'autovacuum_max_workers=1',
  'max_locks_per_transaction=2048',
  'max_pred_locks_per_transaction=10',
  // Reads scan it, and no vacuum empties it.
  'gin_pending_list_limit=64kB',
].flatMap((setting) => ['-c', setting]);

/** A file of the engine. Unlike `readFile`, this leaves no parts of the file in memory. */
const readEngineFile = (name: string): Buffer<ArrayBuffer> =>
  readFileSync(new URL(name, import.meta.resolve('@electric-sql/pglite')));

/** Optimized code takes 30 MiB for each thread that compiles it, and speeds up only statements over many rows, by a third. */
let compiled: EngineModule | undefined;
function getEngineModule(): EngineModule {
  stopOptimizing();
  return (compiled ??= new WebAssembly.Module(readEngineFile('pglite.wasm')));
}

/** `folder`: null in memory. */
async function start(
  path: string,
  folder: string | null,
  limits = UNBOUNDED,
): Promise<Pick<Engine, 'db' | 'statements'>> {
  const { PGlite: Lite, protocol } = await import('@electric-sql/pglite');
  const template = await loadTemplate(folder);
  const pgliteWasmModule = getEngineModule();
  const fsBundle = new BufferBlob(readEngineFile('pglite.data'));
  const startParams = [...Lite.defaultStartParams, ...SETTINGS];
  const db = await Lite.create(path, {
    pgliteWasmModule,
    fsBundle,
    startParams,
    ...(template !== null && { loadDataDir: template }),
  });
  // Values are bound as text, and results are converted as in `postgres`.
  db.parsers = Object.fromEntries(parsers);
  db.serializers = {};
  boundResults(db, protocol, limits);
  await db.exec("SET TIME ZONE 'UTC'; SET DateStyle = 'ISO'");
  return { db, statements: createStatements(db, protocol, limits) };
}

export default defineRuntime<Dialect, PgliteStore>(dialect, {
  create() {
    const store = createPgliteDialect(() => requireEngine(handle));
    const handle: PgliteStore = Object.assign(store, { engine: null });
    return handle;
  },

  async open(handle, { instance, options, folder, log }) {
    const { path, place } = resolveDataPath(options, folder);
    const unlock = place === null ? null : await lockFolder(place, instance);
    try {
      const begun = place === null ? null : await checkFolder(place, instance);
      const started = await start(place ?? path, place, readLimits(options));
      await begun?.();
      const leave =
        place === null || unlock === null ? null : { offer: await listenForCopies(place, started.db, log), unlock };
      handle.engine = { ...started, leave };
    } catch (error) {
      await unlock?.();
      throw createConnectFault(instance, error);
    }
    log.info({ instance, path }, 'embedded database (PGlite): for development and small installations');
  },

  plan: async (handle, tables, { instance }, how) => outlineMigration(createTarget(handle, instance), tables, how),

  async syncSchema(handle, tables, { instance, log }, progress, how) {
    await migrate(createTarget(handle, instance), tables, { log, progress, how });
  },

  fillIndexes: (handle, tables, { instance }, sources, progress) =>
    fillBlindIndexes(createTarget(handle, instance), tables, sources, progress),

  createRowSource: (handle) => createTableRows(handle, POSTGRES_STATEMENTS),

  readObjects: async (handle) =>
    (await requireDatabase(handle).query<{ text: string }>(OBJECTS)).rows.map(({ text }) => text),

  checkStatements: async (handle, questions) =>
    (await analyzeStatements(requireDatabase(handle), questions, { extensions: false, scripts: false })).rejections,

  openTestStore: (handle) => createTestStore(requireDatabase(handle)),

  describeStorage({ instance, options, folder }) {
    const { place } = resolveDataPath(options, folder);
    return place === null
      ? null
      : { folder: place, hold: () => holdFolder(place, instance), lock: () => lockFolder(place, instance) };
  },

  scratch: async () => createScratch((await start(MEMORY, null)).db),

  async close(handle) {
    const { engine } = handle;
    if (engine === null) return;
    handle.engine = null;
    await engine.leave?.offer();
    await engine.db.close();
    await engine.leave?.unlock();
  },

  async health(handle) {
    try {
      await requireEngine(handle).statements.checkEngine();
      return { ok: true };
    } catch {
      return { ok: false, detail: 'the database does not respond' };
    }
  },
});
