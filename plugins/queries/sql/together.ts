/**
 * Plans two statements that are sent at once: one reads and locks a row by its key, the last of the transaction changes rows with its values, which the database reads itself. One after the other, the
 * balance chain takes 1.2 times the processor time.
 */
import type { StatementText } from '../../../contract/statement-text.js';
import type { ColumnType } from '../../../contract/model.js';
import type { ResultCopy, UnitPlace } from '../../../contract/plan.js';
import { scanSql } from './text/scan.js';
import { getLexemeName, isName, toLexemes, type Lexeme } from './text/read.js';
import type { Dialect } from '../../dialects/kind.js';
import type { SqlInput, SqlStatement, Follower } from './statement.js';

/** Types with the same text in database and parameter, and casts that bind their values unchanged. */
const CASTS: Readonly<Partial<Record<ColumnType, RegExp>>> = {
  integer: /^(?:int[248]?|integer|bigint|smallint|numeric|decimal|text)$/,
  text: /^(?:text|varchar)$/,
  boolean: /^(?:bool|boolean|text)$/,
};
const OTHER_SOURCES: ReadonlySet<string> = new Set(['FROM', 'USING', 'WITH']);

/** Null where it is not certain that the result is the same. */
export function planTogether(
  connection: Dialect,
  [read, change]: readonly [SqlStatement, SqlStatement],
  places: readonly UnitPlace[],
): Follower | null {
  const copies = listCopies(places);
  const selected = listSelected(read);
  const clauses = findClauses(change.scan);
  if (connection.runTogether === undefined || !isLockedRow(read)) return null;
  if (change.isRepeated || copies === null || selected === null || clauses === null) return null;
  const columns = new Map(copies.map(({ slot, path }) => [slot, path.length === 1 ? path[0] : undefined]));
  const inputs: SqlInput[] = [];
  const bind = (input: SqlInput): string =>
    `$${inputs.includes(input) ? inputs.indexOf(input) + 1 : inputs.push(input)}`;
  const readText = replaceSpans(
    read.scan.text.slice(0, listWords(read.scan).at(-1)?.end),
    read.scan.placeholders.map(({ n, start, end }) => [start, end, bind(read.inputs[n - 1]!)]),
  );
  const edits: Edit[] = [
    [clauses.condition, clauses.condition, ' ('],
    [clauses.end, clauses.end, `) AND EXISTS (${readText})`],
  ];
  for (const { n, start, end, cast } of change.scan.placeholders) {
    const input = change.inputs[n - 1]!;
    const { slot } = input;
    if (slot === null || !columns.has(slot)) {
      if (!input.isEarly) return null;
      edits.push([start, end, bind(input)]);
      continue;
    }
    const column = columns.get(slot);
    const type = column === undefined ? undefined : selected.get(column);
    if (column === undefined || cast === null || type === undefined || CASTS[type]?.test(cast) !== true) return null;
    // As text, because a parameter is bound as text.
    edits.push([start, end, `(SELECT lintel_read.${quote(column)}::text FROM (${readText}) AS lintel_read)`]);
  }
  const prepared = connection.prepare({
    scan: scanSql(replaceSpans(change.scan.text, edits)),
    jsonColumns: inputs.map(({ isJson }) => isJson),
  });
  const binds = inputs.map((input) => input.bind);
  return { text: prepared.text, bind: (frame) => ({ prepared, values: binds.map((read) => read(frame)) }) };
}

/** What the change gets from the read if nothing else happens between, and only an empty result ends the work. */
function listCopies([read, change]: readonly UnitPlace[]): readonly ResultCopy[] | null {
  if (read === undefined || change === undefined || change.index !== read.index + 1) return null;
  const isAlone =
    !read.isTapped &&
    !change.isTapped &&
    (read.after ?? []).every((step) => step.onlyEmpty === true) &&
    (change.before ?? []).every(({ copies }) => copies !== undefined);
  const copies = (change.before ?? []).flatMap((step) => step.copies ?? []);
  return isAlone && copies.every(({ source, path }) => source === read.index && path.length > 0) ? copies : null;
}

/** `[start, end, text]` */
type Edit = readonly [start: number, end: number, text: string];

function replaceSpans(text: string, edits: readonly Edit[]): string {
  let at = 0;
  let built = '';
  for (const [start, end, inserted] of [...edits].sort(([one], [other]) => one - other)) {
    built += text.slice(at, start) + inserted;
    at = end;
  }
  return built + text.slice(at);
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Its second execution in the same transaction finds the same row: it calls nothing. */
const isLockedRow = ({ isRepeated, hide, need, scan, prepared }: SqlStatement): boolean =>
  !isRepeated &&
  hide === null &&
  need !== null &&
  need.level === 'locks' &&
  !need.among &&
  need.lock !== null &&
  scan.verb === 'SELECT' &&
  !prepared.readOnly &&
  !listWords(scan).some(({ text }, at, words) => text === '(' && isName(words[at - 1]));

const listWords = ({ text, tokens }: StatementText): Lexeme[] => {
  const words = toLexemes(text, tokens);
  return words.at(-1)?.type === 'semicolon' ? words.slice(0, -1) : words;
};

/** The columns that are selected as they are, if nothing else is. */
function listSelected({ scan, columns }: SqlStatement): ReadonlyMap<string, ColumnType> | null {
  const words = listWords(scan);
  const from = words.findIndex(({ type, text, depth }) => type === 'word' && text === 'FROM' && depth === 0);
  const types = new Map<string, ColumnType>();
  for (let at = 1; at < from; at += 2) {
    const [word, next] = [words[at], words[at + 1]];
    if (!isName(word) || (next?.type !== 'comma' && at + 1 !== from)) return null;
    const name = getLexemeName(word);
    const column = columns.find((one) => one.name === name);
    if (column !== undefined) types.set(name, column.type);
  }
  return types;
}

/** Where the condition begins and ends; null unless it is an UPDATE or DELETE of one table. */
function findClauses(scan: StatementText): { readonly condition: number; readonly end: number } | null {
  if ((scan.verb !== 'UPDATE' && scan.verb !== 'DELETE') || scan.statements !== 1) return null;
  const words = listWords(scan);
  const find = (wanted: string): Lexeme | undefined =>
    words.find(({ type, text, depth }) => type === 'word' && depth === 0 && text === wanted);
  const sources = words.filter(({ type, text }) => type === 'word' && OTHER_SOURCES.has(text));
  const where = find('WHERE');
  // DELETE FROM has the word once.
  if (sources.length > (scan.verb === 'DELETE' ? 1 : 0) || where === undefined) return null;
  const returning = find('RETURNING');
  if (returning !== undefined && returning.start < where.start) return null;
  return { condition: where.end, end: words[words.indexOf(returning ?? where) - 1]?.end ?? where.end };
}
