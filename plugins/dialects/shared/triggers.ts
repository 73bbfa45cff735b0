/** Finds triggers that access tables: statements do not show these accesses, so every transaction has to be serializable. */
import type { Log } from '../../../contract/plugin.js';
import { listCalls, hasUnknownReach } from '../../../language/strings/sql-calls.js';
import { toLexemes } from '../../../language/strings/sql-read.js';
import { scanSql } from '../../../language/strings/sql.js';

export interface Trigger {
  readonly name: string;
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

/** Logs the names of such triggers. */
export function isTriggered(triggers: readonly Trigger[], store: string, log: Log): boolean {
  const found = triggers.filter(hasTableAccess).map(({ name, table }) => `${name} on ${table}`);
  if (found.length === 0) return false;
  log.info({ store, triggers: found }, 'triggers found: every transaction of this connection is serializable');
  return true;
}
