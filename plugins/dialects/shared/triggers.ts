/** Finds triggers that access tables: statements do not show these accesses, so every transaction has to be serializable. */
import type { Log } from '../../../contract/plugin.js';
import { callsIn, reachesOut } from '../../../language/strings/sql-calls.js';
import { significant } from '../../../language/strings/sql-read.js';
import { scanSql } from '../../../language/strings/sql.js';

export interface Trigger {
  readonly name: string;
  readonly table: string;
  readonly body: string;
}

const TOUCHES = /^(?:SELECT|INSERT|UPDATE|DELETE|MERGE|REPLACE|TRUNCATE|PERFORM|EXECUTE|CALL|TABLE)$/;
/** Procedural keywords that may precede a parenthesis. */
const PROCEDURAL = /^(?:if|elsif|elseif|while|return|raise|assert|foreach|perform)$/;

export function touchesTables({ body }: Pick<Trigger, 'body'>): boolean {
  const scan = scanSql(body);
  const words = significant(scan.text, scan.tokens);
  if (words.some(({ type, text }) => type === 'word' && TOUCHES.test(text))) return true;
  return callsIn(words, { tables: [] }).some((name) => !PROCEDURAL.test(name) && reachesOut(name));
}

/** Logs the names of such triggers. */
export function isTriggered(triggers: readonly Trigger[], store: string, log: Log): boolean {
  const found = triggers.filter(touchesTables).map(({ name, table }) => `${name} on ${table}`);
  if (found.length === 0) return false;
  log.info({ store, triggers: found }, 'triggers touch tables: every transaction of this connection is serializable');
  return true;
}
