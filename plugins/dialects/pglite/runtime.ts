/** Opens, migrates and closes the embedded database. Only `open` loads the engine, which takes a second. */
import { fillBlindIndexes } from '../shared/fill-indexes.js';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { PGlite, Results } from '@electric-sql/pglite';
import { createFault } from '../../../contract/fault.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { optimizeOnOneThread, raiseTieringBudget } from '../../../language/project/wasm-tiering.js';
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
import { checkFolder } from './folder.js';
import { holdFolder, listenForCopies } from './copy-hold.js';
import { lockFolder } from './lock.js';
import { analyzeStatements, createScratch } from './scratch.js';
import { loadTemplate } from './template.js';
import { createTestStore } from '../shared/postgres-test-store.js';
import { createTableRows, POSTGRES_STATEMENTS } from '../shared/table-rows.light.js';

interface Engine {
  readonly db: PGlite;
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

function requireEngine({ engine }: PgliteStore): PGlite {
  if (engine === null) throw createFault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': '1' } });
  return engine.db;
}

function createWithSession(handle: PgliteStore): WithSession {
  const db = requireEngine(handle);
  return (work) =>
    db.transaction((inner) =>
      work({
        query: async (text, values) =>
          values === undefined
            ? ((await inner.exec(text)) as Results<Row>[]).flatMap(({ rows }) => rows)
            : (await inner.query<Row>(text, [...values])).rows,
      }),
    );
}

const createTarget = (handle: PgliteStore, store: string): MigrationTarget => ({
  withSession: createWithSession(handle),
  flavour: () => postgresFlavour,
  store,
});

/** Clearing the default 128 MB takes a third of the start and speeds up nothing. */
const SETTINGS = ['-c', 'shared_buffers=32MB'];

/**
 * The compiled engine. Early optimization takes a second of processor time, which pays off after thousands of
 * statements.
 */
let compiled: Promise<EngineModule> | undefined;
const getEngineModule = (): Promise<EngineModule> => (compiled ??= compile());
async function compile(): Promise<EngineModule> {
  const bytes = await readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')));
  optimizeOnOneThread();
  const release = raiseTieringBudget(15);
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    release();
  }
}

/** `folder`: null in memory. */
async function start(path: string, folder: string | null, limits = UNBOUNDED): Promise<PGlite> {
  const { PGlite: Lite, protocol } = await import('@electric-sql/pglite');
  const template = await loadTemplate(folder);
  const pgliteWasmModule = await getEngineModule();
  const startParams = [...Lite.defaultStartParams, ...SETTINGS];
  const db = await Lite.create(path, {
    pgliteWasmModule,
    startParams,
    ...(template !== null && { loadDataDir: template }),
  });
  // Values are bound as text, and results are converted as in `postgres`.
  db.parsers = Object.fromEntries(parsers);
  db.serializers = {};
  boundResults(db, protocol, limits);
  await db.exec("SET TIME ZONE 'UTC'; SET DateStyle = 'ISO'");
  return db;
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
      const db = await start(place ?? path, place, readLimits(options));
      await begun?.();
      const leave = place === null || unlock === null ? null : { offer: await listenForCopies(place, db, log), unlock };
      handle.engine = { db, leave };
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
    (await requireEngine(handle).query<{ text: string }>(OBJECTS)).rows.map(({ text }) => text),

  checkStatements: async (handle, questions) =>
    (await analyzeStatements(requireEngine(handle), questions, { extensions: false, scripts: false })).rejections,

  openTestStore: (handle) => createTestStore(requireEngine(handle)),

  describeStorage({ instance, options, folder }) {
    const { place } = resolveDataPath(options, folder);
    return place === null
      ? null
      : { folder: place, hold: () => holdFolder(place, instance), lock: () => lockFolder(place, instance) };
  },

  scratch: async () => createScratch(await start(MEMORY, null)),

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
      await requireEngine(handle).query('SELECT 1');
      return { ok: true };
    } catch {
      return { ok: false, detail: 'the database does not respond' };
    }
  },
});
