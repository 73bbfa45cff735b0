/**
 * What `npm test` without names leaves to the check: kills, outages and clusters of single suites, and suites on the embedded
 * database that PostgreSQL, where it is installed, repeats. Whole files are listed in `test/runner/files.ts`.
 */
import { hasLocalPostgres } from './postgres.js';

/** Set by the runner. */
const isShortRun = process.env['TEST_SHORT'] === '1';

const none = (): void => undefined;
export const describeInCheck: (title: string, suite: (this: Mocha.Suite) => void) => void = isShortRun
  ? none
  : (title, suite) => void describe(title, suite);
export const itInCheck: (title: string, test: Mocha.AsyncFunc | Mocha.Func) => void = isShortRun
  ? none
  : (title, test) => void it(title, test);

const hasPostgres = (): boolean => Boolean(process.env['TEST_DATABASE_URL']) || hasLocalPostgres();

/** Without `pglite` where PostgreSQL runs the same suite in a short run. */
export const chooseDatabases = <T>(databases: readonly T[], getName: (database: T) => string): readonly T[] =>
  isShortRun && hasPostgres() ? databases.filter((database) => getName(database) !== 'pglite') : databases;
