/**
 * Finds effects besides row changes (schema, session settings, transaction control, what lies outside the database), and changes of every
 * row. Accepts any text.
 */
import type { StatementText, UnboundedChange } from '../../../../contract/statement-text.js';
import { isName, toLexemes, type Lexeme } from './read.js';

/** `outside`: files, programs, other servers and sessions. `unseen`: a query in a text. */
export type SqlEffectSort = 'schema' | 'session' | 'control' | 'outside' | 'unseen';

/** Offsets are UTF-16 code units of the SQL text. */
export interface SqlEffect {
  readonly sort: SqlEffectSort;
  /** The name in messages: `DROP`, `set_config`. */
  readonly what: string;
  readonly start: number;
  readonly end: number;
}

export const EFFECT_CODES = {
  schema: 'SQL_SCHEMA',
  session: 'SQL_SESSION',
  control: 'SQL_TRANSACTION',
  outside: 'SQL_OUTSIDE',
  unseen: 'SQL_UNSEEN',
} as const satisfies Readonly<Record<SqlEffectSort, string>>;

const toWordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const SCHEMA = toWordSet('CREATE ALTER DROP TRUNCATE RENAME GRANT REVOKE COMMENT REASSIGN SECURITY IMPORT');
const SESSION = toWordSet('SET RESET DISCARD LISTEN UNLISTEN PREPARE DEALLOCATE USE UNLOCK');
const CONTROL = toWordSet('BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE ABORT');
/** Of all dialects; also COPY without file or program, because no driver answers it. */
const OUTSIDE = toWordSet('COPY LOAD KILL SHUTDOWN RESTART FLUSH PURGE CLONE INSTALL UNINSTALL CHANGE BINLOG');
const OUTSIDE_CALL =
  /^(?:PG_READ_(?:BINARY_)?FILE|PG_LS_\w+|PG_STAT_FILE|PG_FILE_\w+|PG_LOGDIR_LS|LO_IMPORT|LO_EXPORT|LOAD_FILE|DBLINK(?:_\w+)?|PG_(?:TERMINATE|CANCEL)_BACKEND|PG_RELOAD_CONF|PG_ROTATE_LOGFILE|PG_PROMOTE|PG_SWITCH_WAL|PG_(?:CREATE|DROP)_\w*REPLICATION_SLOT)$/;
const LOCAL = toWordSet('LOCAL CONSTRAINTS');
/** Session locks; locks of functions with `xact` in their names end with the transaction. */
const LOCKS = toWordSet(
  'PG_ADVISORY_LOCK PG_ADVISORY_LOCK_SHARED PG_TRY_ADVISORY_LOCK PG_TRY_ADVISORY_LOCK_SHARED GET_LOCK RELEASE_LOCK',
);

const UNSEEN = /^(?:(?:QUERY|TABLE|SCHEMA|DATABASE|CURSOR)_TO_XML(?:SCHEMA|_AND_XMLSCHEMA)?|LO_GET)$/;

export function findEffects({ text, tokens }: StatementText): readonly SqlEffect[] {
  const all = toLexemes(text, tokens);
  const [first, second] = all;
  if (first?.type !== 'word') return [];
  const sort = classifyEffect(first, second);
  if (sort !== null) return [{ sort, what: first.text, start: first.start, end: first.end }];
  return [...findSelectInto(all), ...all.flatMap((word, i) => findCall(all, word, i))];
}

function classifyEffect({ text }: Lexeme, second: Lexeme | undefined): SqlEffectSort | null {
  if (SCHEMA.has(text)) return 'schema';
  if (CONTROL.has(text)) return 'control';
  if (OUTSIDE.has(text)) return 'outside';
  if (text === 'LOCK' && second?.text === 'TABLES') return 'session';
  if (!SESSION.has(text)) return null;
  if (text === 'SET' && second?.text === 'TRANSACTION') return 'control';
  return text === 'SET' && LOCAL.has(second?.text ?? '') ? null : 'session';
}

function findSelectInto(all: readonly Lexeme[]): SqlEffect[] {
  if (all[0]?.text !== 'SELECT') return [];
  const at = all.findIndex(({ type, text, depth }) => type === 'word' && text === 'INTO' && depth === 0);
  const [into, target] = [all[at], all[at + 1]];
  if (into === undefined) return [];
  const isFile = target?.text === 'OUTFILE' || target?.text === 'DUMPFILE';
  const what = isFile ? `INTO ${target.text}` : 'SELECT INTO';
  return [{ sort: isFile ? 'outside' : 'schema', what, start: into.start, end: into.end }];
}

function findCall(all: readonly Lexeme[], word: Lexeme, i: number): SqlEffect[] {
  if (all[i + 1]?.type !== 'open') return [];
  const { start, end, depth } = word;
  const text = readFunctionName(word);
  if (OUTSIDE_CALL.test(text)) return [{ sort: 'outside', what: text.toLowerCase(), start, end }];
  if (UNSEEN.test(text)) return [{ sort: 'unseen', what: text.toLowerCase(), start, end }];
  const keeps = LOCKS.has(text) || (text === 'SET_CONFIG' && !isLocal(all, i + 1, depth));
  return keeps ? [{ sort: 'session', what: text.toLowerCase(), start, end }] : [];
}

/** In capitals; a name in quotes is one only if it is in small letters. */
function readFunctionName({ type, text }: Lexeme): string {
  if (type === 'word') return text;
  return /^"[a-z_]+"$/.test(text) ? text.slice(1, -1).toUpperCase() : '';
}

/** True if the third argument is the literal true. */
function isLocal(all: readonly Lexeme[], open: number, depth: number): boolean {
  const close = all.findIndex((word, i) => i > open && word.type === 'close' && word.depth === depth);
  return ['TRUE', "'true'", "'t'"].includes(all[close - 1]?.text ?? '') && all[close - 2]?.type === 'comma';
}

export function findUnboundedChanges({ text, tokens }: StatementText): readonly UnboundedChange[] {
  const all = toLexemes(text, tokens);
  return all.flatMap((word, i): UnboundedChange[] => {
    const verb = word.type === 'word' ? word.text : '';
    if (verb !== 'UPDATE' && verb !== 'DELETE') return [];
    if (!isStatementStart(all, i) || hasWhere(all, i)) return [];
    return [{ verb, start: word.start, end: word.end }];
  });
}

/** `FOR UPDATE` and `ON CONFLICT DO UPDATE` start no statement. */
function isStatementStart(all: readonly Lexeme[], i: number): boolean {
  const before = all[i - 1];
  if (all[i]?.text === 'DELETE' && all[i + 1]?.text !== 'FROM') return false;
  if (all[i]?.text === 'UPDATE' && !isName(all[i + 1])) return false;
  return before === undefined || before.type === 'open' || before.type === 'close' || before.type === 'semicolon';
}

function hasWhere(all: readonly Lexeme[], i: number): boolean {
  const depth = all[i]?.depth ?? 0;
  for (const { type, text, depth: at } of all.slice(i + 1)) {
    if (at < depth || (at === depth && type === 'semicolon')) return false;
    if (at === depth && type === 'word' && text === 'WHERE') return true;
  }
  return false;
}
