/** Reports statements that MySQL or MariaDB rejects when it prepares them. */
import type { ModelTable } from '../../../contract/model.js';
import type { Question, Refusal } from '../../../contract/trial.js';
import { scanSql, type SqlScan } from '../../../language/strings/sql.js';
import { isName, nameOf, significant } from '../../../language/strings/sql-read.js';
import { errorNumber } from './errors.js';
import type { Wire } from './pool.js';
import { prepareStatement } from './prepare.js';

/** Errors in the text. Missing tables are ignored, because a migration may create them. */
const ABOUT = new Map<number, Refusal['about']>([
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

export async function askWire(
  wire: Wire,
  questions: readonly Question[],
  tables: readonly ModelTable[],
): Promise<(Refusal | null)[]> {
  const refusals: (Refusal | null)[] = [];
  for (const { text } of questions) refusals.push(await askOne(wire, scanSql(text), tables));
  return refusals;
}

async function askOne(wire: Wire, scan: SqlScan, tables: readonly ModelTable[]): Promise<Refusal | null> {
  try {
    // Session settings disable all escapes except the doubled quote.
    const { forms } = prepareStatement({ scan, jsonColumns: [], tables });
    await wire.command(`PREPARE lintel_asked FROM '${forms[wire.flavour].main.text.replaceAll("'", "''")}'`);
    await wire.command('DEALLOCATE PREPARE lintel_asked');
    return null;
  } catch (error) {
    const number = errorNumber(error);
    const about = ABOUT.get(number);
    if (about === undefined || !(error instanceof Error)) return null;
    const what = error.message.replace(/\.$/, '');
    return { about, what, advice: ADVICE[number] ?? '', at: placeIn(scan, what), n: null, near: null };
  }
}

function placeIn(scan: SqlScan, message: string): number | null {
  const name = /'([^']+)'|FUNCTION (\S+) does/.exec(message)?.slice(1).find(Boolean)?.split('.').at(-1)?.toLowerCase();
  const words = significant(scan.text, scan.tokens);
  const found = words.find((word) => isName(word) && nameOf(word).toLowerCase() === name);
  return found?.start ?? null;
}
