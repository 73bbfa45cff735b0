/**
 * Embedded databases in memory for tests: a closed engine is emptied and reused, since starting one takes several times
 * as long. Engines on folders are not affected. Imported for its effect by helpers that start kernels.
 */
import { PGlite } from '@electric-sql/pglite';
import { runAtEnd } from './shared-server.js';

type Create = (path: string, options?: object) => Promise<PGlite>;

const lite = PGlite as unknown as { create: Create };
const createEngine = lite.create.bind(PGlite);
const free: PGlite[] = [];
/** Milliseconds after which a busy engine is discarded. */
const PATIENCE_MS = 2000;

/** Everything that a test can have created, in the session and in the database. */
const OWN_SCHEMAS = `
  SELECT format('DROP SCHEMA %I CASCADE', nspname) AS drop FROM pg_namespace
  WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'`;

async function emptyDatabase(db: PGlite): Promise<void> {
  const { rows } = await db.query<{ readonly drop: string }>(OWN_SCHEMAS);
  await db.exec(
    `${rows.map((row) => row.drop).join('; ')}; CREATE SCHEMA public; RESET ALL; DEALLOCATE ALL; UNLISTEN *`,
  );
}

/** An engine that is in the middle of something, or broken, is not used again. */
async function recycleEngine(db: PGlite): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), PATIENCE_MS)));
  const isEmpty = await Promise.race([
    emptyDatabase(db).then(
      () => true,
      () => false,
    ),
    late,
  ]);
  clearTimeout(timer);
  if (isEmpty) free.push(db);
  else await db.close();
}

/** The engine as one owner sees it: closed for good once it has closed it. */
function wrapEngine(db: PGlite): PGlite {
  let isClosed = false;
  return new Proxy(db, {
    get(target, name) {
      if (name === 'closed') return isClosed;
      if (name === 'close') {
        return async () => {
          if (isClosed) throw new Error('PGlite is closed');
          isClosed = true;
          await recycleEngine(target);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (isClosed) return () => Promise.reject(new Error('PGlite is closed'));
      return (value as (...given: unknown[]) => unknown).bind(target);
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}

lite.create = async (path, options) => {
  if (path !== 'memory://') return createEngine(path, options);
  return wrapEngine(free.pop() ?? (await createEngine(path, options)));
};

// An engine keeps its process alive.
runAtEnd(async () => {
  await Promise.all(free.splice(0).map((db) => db.close()));
});
