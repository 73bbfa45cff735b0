/**
 * Finds what accesses tables without being in a statement: triggers, and on PostgreSQL policies, rules, defaults,
 * checks, operators and casts. Then every transaction is serializable.
 */
import type { Log } from '../../../contract/plugin.js';
import { listCalls, hasUnknownReach } from '../../queries/sql/text/calls.js';
import { toLexemes } from '../../queries/sql/text/read.js';
import { scanSql } from '../../queries/sql/text/scan.js';

export interface Trigger {
  /** `policy own` where it is no trigger. */
  readonly name: string;
  /** Empty for what belongs to no table. */
  readonly table: string;
  readonly body: string;
}

const TOUCHES = /^(?:SELECT|INSERT|UPDATE|DELETE|MERGE|REPLACE|TRUNCATE|PERFORM|EXECUTE|CALL|TABLE)$/;
/** Procedural keywords that may precede a parenthesis. */
const PROCEDURAL = /^(?:if|elsif|elseif|while|return|raise|assert|foreach|perform)$/;

export function hasTableAccess({ body }: Pick<Trigger, 'body'>): boolean {
  const scan = scanSql(body);
  const words = toLexemes(scan.text, scan.tokens);
  if (words.some(({ type, text }) => type === 'word' && TOUCHES.test(text))) return true;
  return listCalls(words, { tables: [] }).some((name) => !PROCEDURAL.test(name) && hasUnknownReach(name));
}

const listNames = (triggers: readonly Trigger[]): readonly string[] =>
  triggers.filter(hasTableAccess).map(({ name, table }) => (table === '' ? name : `${name} on ${table}`));

export function isTriggered(triggers: readonly Trigger[], store: string, log: Log): boolean {
  const found = listNames(triggers);
  if (found.length === 0) return false;
  log.info({ store, triggers: found }, 'triggers found: every transaction of this connection is serializable');
  return true;
}

/** Single statements were planned without them, until a restart or a reload. */
export function warnTriggered(triggers: readonly Trigger[], store: string, log: Log): boolean {
  const found = listNames(triggers);
  if (found.length === 0) return false;
  log.warn(
    { store, triggers: found },
    'triggers were made after the start: transactions are serializable from now on, single statements after a restart',
  );
  return true;
}
