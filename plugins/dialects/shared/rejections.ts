/**
 * Reports statements that PostgreSQL rejects when it prepares them. Omits errors that another database may not have.
 */
import type { StatementText } from '../../../contract/statement-text.js';
import type { StatementRejection } from '../../../contract/statement-check.js';
import { scanSql } from '../../queries/sql/text/scan.js';
import { findLastPart, toUnitOffset } from '../../queries/sql/text/word.js';
import { quoteReserved } from '../../queries/sql/text/reserved.js';
import { findNearest } from '../../../language/source/suggest.js';
import { getSqlState, isAboutName } from './errors.js';
import type { MigrationSession } from './session.js';

export interface SentStatement {
  readonly scan: StatementText;
  readonly text: string;
  /** Maps an offset in that text to one in the definition. */
  readonly toOriginalOffset: (offset: number) => number;
}

export function toSentStatement(text: string): SentStatement {
  const scan = scanSql(text);
  return { scan, ...quoteReserved(scan) };
}

/** Objects that may exist elsewhere. */
export interface UnknownObjects {
  readonly extensions: boolean;
  /** SQL scripts that could not run here. */
  readonly scripts: boolean;
}

interface DriverErrorFields {
  readonly message?: unknown;
  readonly hint?: unknown;
  readonly position?: unknown;
}

/** Other errors concern the session or the server. */
const ABOUT_TEXT = /^(?:0A|21|22|42)/;
const EXTENSION_FUNCTION =
  /^(?:st_|uuid_(?:generate|ns|nil)|gen_salt|crypt|digest|hmac|pgp_|armor|dearmor|\w*similarity|show_trgm|unaccent|levenshtein|soundex|text_soundex|difference|d?metaphone|daitch_|crosstab|connectby|normal_rand|\w+_distance|inner_product|vector_|l2_norm|earth|ll_to_earth|hstore|akeys|avals|skeys|svals|lquery|ltree|subpath|subltree|nlevel|lca|cube|h3_|time_bucket|cron_|postgis_|geo|phraseto_|pg_trgm)/;
const EXTENSION_OPERATOR = /: \S+ (?:%|%>>?|<<?%|<->|<=>|<#>|<<->|<->>|~>|\?[<>]|\^[<>@]\S*)/;

/** Null unless the statement certainly fails. `position`: the server's. */
export function toStatementRejection(
  error: unknown,
  { scan, text, toOriginalOffset }: SentStatement,
  unknown: UnknownObjects,
  position = 1,
): StatementRejection | null {
  const state = getSqlState(error);
  const { message, hint, position: errorPosition } = error as DriverErrorFields;
  if (!ABOUT_TEXT.test(state) || typeof message !== 'string') return null;
  if (isDoubtful(state, message, unknown)) return null;
  const number = Number(errorPosition) - position;
  const at = Number.isInteger(number) && number >= 0 ? toOriginalOffset(toUnitOffset(text, number)) : null;
  const named = at === null ? null : findLastPart(scan, at);
  const near = /^Perhaps you meant to reference the column "(?:[^"]*\.)?([a-z_][a-z0-9_]*)"/.exec(String(hint))?.[1];
  return {
    about: ABOUT[state] ?? (state === '42P01' ? 'table' : 'other'),
    what: message,
    advice: getAdvice(state, message, near, hint),
    at: isAboutName(state) ? named : at,
    n: null,
    near: near ?? null,
  };
}

const ABOUT: Readonly<Record<string, StatementRejection['about']>> = {
  '42703': 'column',
  '42P08': 'untyped',
  '42P18': 'untyped',
  '42883': 'function',
};

function isDoubtful(state: string, message: string, { extensions, scripts }: UnknownObjects): boolean {
  // Without a model, or of another schema.
  if ((state === '42P01' && message.startsWith('relation')) || state === '3F000') return true;
  if (state === '42704') return extensions || scripts;
  if (state !== '42883') return false;
  const name = parseFunctionName(message);
  if (scripts || name?.includes('.') === true) return true;
  return extensions && (name === null ? EXTENSION_OPERATOR.test(message) : EXTENSION_FUNCTION.test(name));
}

/** Null: an operator. */
const parseFunctionName = (message: string): string | null =>
  /^(?:function|procedure) ([^(]+)\(/.exec(message)?.[1]?.replaceAll('"', '') ?? null;

function getAdvice(state: string, message: string, near: string | undefined, hint: unknown): string {
  if (near !== undefined) return `Did you mean "${near}"?`;
  if (state === '42702') return 'Write the table and a dot before it.';
  if (state === '42803' && message.includes('must appear'))
    return 'Add it to GROUP BY, or put an aggregate such as `max` around it.';
  if (state === '42803' && message.endsWith('WHERE')) return 'Conditions on groups stand in HAVING.';
  if (state === '42883' || state === '42804') return 'Write a cast where the types differ, such as `::text`.';
  return typeof hint === 'string' ? hint : '';
}

const SIGNATURES = `
SELECT DISTINCT p.proname || '(' || pg_catalog.pg_get_function_identity_arguments(p.oid) || ')' AS said
FROM pg_catalog.pg_proc p WHERE p.proname = $1 ORDER BY 1 LIMIT 4`;
const NAMES = `
SELECT DISTINCT proname AS name FROM pg_catalog.pg_proc
WHERE prorettype NOT IN ('internal'::regtype, 'trigger'::regtype) AND proname !~ '^(?:pg_|_|binary_upgrade)'`;

/** Adds the functions of this name, or the most similar. */
export async function addFunctionAdvice(
  refusal: StatementRejection,
  { query }: Pick<MigrationSession, 'query'>,
): Promise<StatementRejection> {
  const name = refusal.about === 'function' ? parseFunctionName(refusal.what) : null;
  if (name === null) return refusal;
  const known = (await query(SIGNATURES, [name])).map(({ said }) => `\`${String(said)}\``);
  if (known.length > 0) {
    const more = known.length > 3 ? ' and more' : '';
    return { ...refusal, advice: `There is ${known.slice(0, 3).join(', ')}${more}.` };
  }
  const near = findNearest(
    name,
    (await query(NAMES)).map((row) => String(row['name'])),
  );
  if (near === undefined) return { ...refusal, advice: 'Define your own function in `migrations/*.sql`.' };
  return { ...refusal, near, advice: `Did you mean "${near}"?` };
}
