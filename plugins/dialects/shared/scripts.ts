/** Runs the project's SQL scripts: each once, by name, in its own transaction. A table stores names and checksums. */
import { createHash } from 'node:crypto';
import { Fault, createFault } from '../../../contract/fault.js';
import type { MigrationStep, MigrationWarning } from '../../../contract/migration.js';
import type { Script } from '../../../contract/statement-check.js';
import { isLocked, retryWhileLocked } from './separate-changes.js';
import type { Flavour, MigrationTarget, MigrationContext } from './migration-types.js';
import type { MigrationSession } from './session.js';

const LEDGER = 'lintel_scripts';

export interface ScriptStatus {
  readonly pending: readonly Script[];
  /** Changed after they ran. */
  readonly changed: readonly Script[];
}

const hashScript = ({ text }: Script): string => createHash('sha256').update(text).digest('hex');
const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export async function findPendingScripts(
  session: MigrationSession,
  { introspect, quote }: Pick<Flavour, 'introspect' | 'quote'>,
  scripts: readonly Script[],
): Promise<ScriptStatus> {
  if (scripts.length === 0) return { pending: [], changed: [] };
  const table = { model: LEDGER, table: LEDGER, stores: [], columns: [], uniques: [] };
  const isThere = (await introspect(session, [table])).has(LEDGER);
  const rows = isThere ? await session.query(`SELECT file, checksum FROM ${quote(LEDGER)}`) : [];
  const done = new Map(rows.map((row) => [String(row['file']), String(row['checksum'])]));
  return {
    pending: scripts.filter(({ file }) => !done.has(file)),
    changed: scripts.filter((script) => done.has(script.file) && done.get(script.file) !== hashScript(script)),
  };
}

export async function runScripts(
  { withSession, flavour: find, store }: MigrationTarget,
  scripts: readonly Script[],
  context: MigrationContext,
): Promise<boolean> {
  if (scripts.length === 0) return false;
  const { pending, changed } = await withSession(async (session) =>
    findPendingScripts(session, await find(session), scripts),
  );
  for (const script of changed) context.log.warn({ file: script.file }, CHANGED);
  for (const [i, script] of pending.entries()) {
    context.progress?.(toScriptStep(store, script), i + 1, pending.length);
    await retryWhileLocked(isLockedOut, () =>
      withSession(async (session) => runOne(session, await find(session), script)),
    );
  }
  if (pending.length > 0) context.log.info({ files: pending.map(({ file }) => file) }, 'migration scripts run');
  return pending.length > 0;
}

const isLockedOut = (error: unknown): boolean => error instanceof Fault && isLocked(error.options.cause);

/** Another process may have run the script meanwhile. */
async function runOne(session: MigrationSession, flavour: Flavour, script: Script): Promise<void> {
  await flavour.lock(session);
  if ((await findPendingScripts(session, flavour, [script])).pending.length === 0) return;
  const columns = 'file varchar(255) PRIMARY KEY, checksum varchar(64) NOT NULL, run_at timestamp NOT NULL';
  await session.query(`CREATE TABLE IF NOT EXISTS ${flavour.quote(LEDGER)} (${columns})`);
  await session.query(script.text).catch((cause: unknown) => {
    throw createScriptFault(flavour, script, cause);
  });
  const values = `${quoteText(script.file)}, ${quoteText(hashScript(script))}, CURRENT_TIMESTAMP`;
  await session.query(`INSERT INTO ${flavour.quote(LEDGER)} (file, checksum, run_at) VALUES (${values})`);
}

function createScriptFault(flavour: Flavour, { file, text }: Script, cause: unknown): Error {
  const { message, position } = cause as { readonly message?: unknown; readonly position?: unknown };
  const at = Number(position);
  const line = at > 0 ? `, line ${[...text].slice(0, at).filter((one) => one === '\n').length + 1}` : '';
  const outcome = flavour.transactional ? 'Nothing of it was kept.' : 'Statements before the one that failed may stay.';
  const params = { file: `${file}${line}`, what: String(message), outcome };
  return createFault('QRY_SCRIPT', params, {
    cause,
    retryable: flavour.isUnavailable(cause) || flavour.isLocked?.(cause) === true,
  });
}

const CHANGED = 'migration script changed after it was run: write the change into a new file';

const toScriptStep = (store: string, { file }: Script): Omit<MigrationStep, 'sql' | 'loses'> => ({
  store,
  table: file,
  change: 'run file',
  detail: 'once',
  destructive: false,
});

export const createScriptOutline = (
  store: string,
  { pending, changed }: ScriptStatus,
): { readonly steps: MigrationStep[]; readonly warnings: MigrationWarning[] } => ({
  steps: pending.map((script) => ({
    ...toScriptStep(store, script),
    loses: null,
    sql: [script.text.trim().replace(/;$/, '')],
  })),
  warnings: changed.map(({ file }) => ({ store, table: file, column: null, message: CHANGED })),
});
