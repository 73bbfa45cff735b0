/**
 * Runs the SQL scripts of the project: each once, by name, in its own transaction. A table stores the names and checksums of
 * those that have run.
 */
import { createHash } from 'node:crypto';
import { Fault, fault } from '../../../contract/fault.js';
import type { MigrationStep, MigrationWarning } from '../../../contract/migration.js';
import type { Script } from '../../../contract/trial.js';
import { isLocked, patiently } from './apart.js';
import type { Flavour } from './known.js';
import type { Migrated, Migrating } from './migrate.js';
import type { Session } from './session.js';

const LEDGER = 'lintel_scripts';

export interface Scripts {
  readonly pending: readonly Script[];
  /** Changed after they ran. */
  readonly changed: readonly Script[];
}

const checksumOf = ({ text }: Script): string => createHash('sha256').update(text).digest('hex');
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export async function scriptsLeft(
  session: Session,
  { introspect, quote }: Pick<Flavour, 'introspect' | 'quote'>,
  scripts: readonly Script[],
): Promise<Scripts> {
  if (scripts.length === 0) return { pending: [], changed: [] };
  const table = { model: LEDGER, table: LEDGER, stores: [], columns: [], uniques: [] };
  const isThere = (await introspect(session, [table])).has(LEDGER);
  const rows = isThere ? await session.query(`SELECT file, checksum FROM ${quote(LEDGER)}`) : [];
  const done = new Map(rows.map((row) => [String(row['file']), String(row['checksum'])]));
  return {
    pending: scripts.filter(({ file }) => !done.has(file)),
    changed: scripts.filter((script) => done.has(script.file) && done.get(script.file) !== checksumOf(script)),
  };
}

export async function runScripts(
  { withSession, flavour: find, store }: Migrated,
  scripts: readonly Script[],
  who: Migrating,
): Promise<boolean> {
  if (scripts.length === 0) return false;
  const { pending, changed } = await withSession(async (session) => scriptsLeft(session, await find(session), scripts));
  for (const script of changed) who.log.warn({ file: script.file }, CHANGED);
  for (const [i, script] of pending.entries()) {
    who.progress?.(stepOf(store, script), i + 1, pending.length);
    await patiently(isLockedOut, () => withSession(async (session) => runOne(session, await find(session), script)));
  }
  if (pending.length > 0) who.log.info({ files: pending.map(({ file }) => file) }, 'SQL of the project was run');
  return pending.length > 0;
}

const isLockedOut = (error: unknown): boolean => error instanceof Fault && isLocked(error.options.cause);

/** Another process may have run the script meanwhile. */
async function runOne(session: Session, flavour: Flavour, script: Script): Promise<void> {
  const unlock = await flavour.lock(session);
  try {
    if ((await scriptsLeft(session, flavour, [script])).pending.length === 0) return;
    const columns = 'file varchar(255) PRIMARY KEY, checksum varchar(64) NOT NULL, run_at timestamp NOT NULL';
    await session.query(`CREATE TABLE IF NOT EXISTS ${flavour.quote(LEDGER)} (${columns})`);
    await session.query(script.text).catch((cause: unknown) => {
      throw refusal(flavour, script, cause);
    });
    const values = `${quoted(script.file)}, ${quoted(checksumOf(script))}, CURRENT_TIMESTAMP`;
    await session.query(`INSERT INTO ${flavour.quote(LEDGER)} (file, checksum, run_at) VALUES (${values})`);
  } finally {
    await unlock().catch(() => undefined);
  }
}

function refusal(flavour: Flavour, { file, text }: Script, cause: unknown): Error {
  const { message, position } = cause as { readonly message?: unknown; readonly position?: unknown };
  const at = Number(position);
  const line = at > 0 ? `, line ${[...text].slice(0, at).filter((one) => one === '\n').length + 1}` : '';
  const outcome = flavour.transactional ? 'Nothing of it was kept.' : 'Statements before the one that failed may stay.';
  const params = { file: `${file}${line}`, what: String(message), outcome };
  return fault('QRY_SCRIPT', params, { cause, retryable: flavour.isAway(cause) || flavour.isLocked?.(cause) === true });
}

const CHANGED = 'the file was changed after it was run: write what is new into a file of its own';

const stepOf = (store: string, { file }: Script): Omit<MigrationStep, 'sql' | 'loses'> => ({
  ...{ store, table: file, change: 'run file', detail: 'once' },
  destructive: false,
});

export const scriptOutline = (
  store: string,
  { pending, changed }: Scripts,
): { readonly steps: MigrationStep[]; readonly warnings: MigrationWarning[] } => ({
  steps: pending.map((script) => ({
    ...stepOf(store, script),
    loses: null,
    sql: [script.text.trim().replace(/;$/, '')],
  })),
  warnings: changed.map(({ file }) => ({ store, table: file, column: null, message: CHANGED })),
});
