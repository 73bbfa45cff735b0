/** Reports statements that MySQL or MariaDB rejects when it prepares them. */
import type { StatementText } from '../../../contract/statement-text.js';
import type { ModelTable } from '../../../contract/model.js';
import type { StatementQuestion, StatementRejection } from '../../../contract/statement-check.js';
import { scanSql } from '../../queries/sql/text/scan.js';
import { isName, getLexemeName, toLexemes } from '../../queries/sql/text/read.js';
import { getErrno } from './errors.js';
import type { MysqlConnection } from './connection.js';
import { prepareMysqlStatement } from './prepare.js';

/** Errors in the text; migrations may create missing tables. */
const ABOUT = new Map<number, StatementRejection['about']>([
  [1054, 'column'],
  ...[1128, 1305, 1630].map((number) => [number, 'function'] as const),
  ...[1052, 1055, 1056, 1064, 1111, 1136, 1140, 1222, 1241, 1247, 1582, 1583, 1584].map(
    (number) => [number, 'other'] as const,
  ),
]);

const ADVICE: Readonly<Record<number, string>> = {
  1052: 'Write the table and a dot before it.',
  1055: 'Add it to GROUP BY, or put an aggregate such as `max` around it.',
  1111: 'Conditions on groups stand in HAVING.',
  1140: 'Add the other columns to GROUP BY.',
};

export async function probeStatements(
  wire: MysqlConnection,
  questions: readonly StatementQuestion[],
  tables: readonly ModelTable[],
): Promise<(StatementRejection | null)[]> {
  const refusals: (StatementRejection | null)[] = [];
  for (const { text } of questions) refusals.push(await probeStatement(wire, scanSql(text), tables));
  return refusals;
}

async function probeStatement(
  wire: MysqlConnection,
  scan: StatementText,
  tables: readonly ModelTable[],
): Promise<StatementRejection | null> {
  try {
    // Session settings disable all escapes except the doubled quote.
    const { forms } = prepareMysqlStatement({ scan, jsonColumns: [], tables });
    await wire.runCommand(`PREPARE lintel_asked FROM '${forms[wire.flavour].main.text.replaceAll("'", "''")}'`);
    await wire.runCommand('DEALLOCATE PREPARE lintel_asked');
    return null;
  } catch (error) {
    const number = getErrno(error);
    const about = ABOUT.get(number);
    if (about === undefined || !(error instanceof Error)) return null;
    const what = error.message.replace(/\.$/, '');
    return { about, what, advice: ADVICE[number] ?? '', at: findNamePosition(scan, what), n: null, near: null };
  }
}

function findNamePosition(scan: StatementText, message: string): number | null {
  const name = /'([^']+)'|FUNCTION (\S+) does/.exec(message)?.slice(1).find(Boolean)?.split('.').at(-1)?.toLowerCase();
  const words = toLexemes(scan.text, scan.tokens);
  const found = words.find((word) => isName(word) && getLexemeName(word).toLowerCase() === name);
  return found?.start ?? null;
}
