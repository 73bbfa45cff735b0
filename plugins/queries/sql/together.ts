/**
 * Plans one statement in place of two of a transaction: one locks a row by its key, the last changes rows with its values. As two, the balance chain takes 1.4 times the processor time.
 *
 * If it returns rows, it did what the two would do: the read waits for the lock and has the newest version; the database changes the newest version of a row of its older snapshot, if that still meets the
 * condition; by the level `locks`, the change is by a key and reads nothing else. Otherwise (no such row, a newer one, an error) it has no effect, and the two run: each error is that of its own statement.
 */
import type { StatementText } from '../../../contract/statement-text.js';
import type { ColumnType } from '../../../contract/model.js';
import type { ResultCopy, UnitPlace } from '../../../contract/plan.js';
import { scanSql } from './text/scan.js';
import { getLexemeName, isName, toLexemes, type Lexeme } from './text/read.js';
import type { Dialect, Row } from '../../dialects/kind.js';
import type { SqlInput, SqlStatement, FusedStatement } from './statement.js';
import { quoteSqlName } from './text/quotes.js';

/** Types with the same text in database and parameter, and casts that bind their values unchanged. */
const CASTS: Readonly<Partial<Record<ColumnType, RegExp>>> = {
  integer: /^(?:int[248]?|integer|bigint|smallint|numeric|decimal|text)$/,
  text: /^(?:text|varchar)$/,
  boolean: /^(?:bool|boolean|text)$/,
};
const OTHER_SOURCES: ReadonlySet<string> = new Set(['FROM', 'USING', 'WITH']);

/** Null where it is not certain that the result is the same. */
export function fuseStatements(
  connection: Dialect,
  [read, change]: readonly [SqlStatement, SqlStatement],
  places: readonly UnitPlace[],
): FusedStatement | null {
  const copies = listCopies(places);
  const selected = listSelected(read);
  const clauses = findClauses(change.scan);
  if (connection.runWhole === undefined || !isLockedRow(read) || !isByKey(change)) return null;
  if (copies === null || selected === null || clauses === null) return null;
  const columns = new Map(copies.map(({ slot, path }) => [slot, path.length === 1 ? path[0] : undefined]));
  const inputs: SqlInput[] = [];
  const bind = (input: SqlInput): string =>
    `$${inputs.includes(input) ? inputs.indexOf(input) + 1 : inputs.push(input)}`;
  const locked = scanSql(read.prepared.text);
  const readText = replaceSpans(
    locked.text.slice(0, listWords(locked).at(-1)?.end),
    locked.placeholders.map(({ n, start, end }) => [start, end, bind(read.inputs[n - 1]!)]),
  );
  const names = [...selected.keys()];
  const results = names
    .map((name, at) => `(SELECT ${SOURCE}.${quoteSqlName(name)} FROM ${SOURCE}) AS ${SOURCE}_${at}`)
    .join();
  const edits: Edit[] = [
    [clauses.start, clauses.start, `WITH ${SOURCE} AS (${readText}) `],
    [clauses.condition, clauses.condition, ' ('],
    [clauses.conditionEnd, clauses.conditionEnd, `) AND EXISTS (SELECT FROM ${SOURCE})`],
    [clauses.end, clauses.end, `${clauses.returns ? ', ' : ' RETURNING '}${results}`],
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
    if (column === undefined || cast === null || !type || CASTS[type]?.test(cast) !== true) return null;
    // As text, because a parameter is bound as text.
    edits.push([start, end, `(SELECT ${SOURCE}.${quoteSqlName(column)}::text FROM ${SOURCE})`]);
  }
  const prepared = connection.prepare({
    scan: scanSql(replaceSpans(change.scan.text, edits)),
    jsonColumns: inputs.map(({ isJson }) => isJson),
  });
  const binds = inputs.map((input) => input.bind);
  return {
    text: prepared.text,
    bind: (frame) => ({ prepared, values: binds.map((read) => read(frame)) }),
    splitRows: createRowSplit(names, clauses.returns),
  };
}

const SOURCE = 'lintel_read';

/** Into the rows of the two statements. */
function createRowSplit(names: readonly string[], returns: boolean): FusedStatement['splitRows'] {
  const places = new Map(names.map((name, at) => [`${SOURCE}_${at}`, name]));
  const takeRest = (row: Row): Row => {
    const rest: Record<string, unknown> = {};
    for (const name in row) if (!places.has(name)) rest[name] = row[name];
    return rest;
  };
  return (rows) => {
    const read: Record<string, unknown> = {};
    for (const [place, name] of places) read[name] = rows[0]?.[place];
    return { first: [read], last: returns ? rows.map(takeRest) : [] };
  };
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

/** It calls nothing. */
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

const isByKey = ({ isRepeated, need }: SqlStatement): boolean => !isRepeated && need?.level === 'locks' && !need.among;

/** The columns that are selected as they are, if nothing else is. Undefined: of an unknown type. */
function listSelected({ scan, columns }: SqlStatement): ReadonlyMap<string, ColumnType | undefined> | null {
  const words = listWords(scan);
  const from = words.findIndex(({ type, text, depth }) => type === 'word' && text === 'FROM' && depth === 0);
  const types = new Map<string, ColumnType | undefined>();
  for (let at = 1; at < from; at += 2) {
    const [word, next] = [words[at], words[at + 1]];
    if (!isName(word) || (next?.type !== 'comma' && at + 1 !== from)) return null;
    const name = getLexemeName(word);
    types.set(name, columns.find((one) => one.name === name)?.type);
  }
  return types;
}

interface Clauses {
  readonly start: number;
  readonly condition: number;
  readonly conditionEnd: number;
  readonly end: number;
  readonly returns: boolean;
}

/** Null unless it is an UPDATE or DELETE of one table. */
function findClauses(scan: StatementText): Clauses | null {
  if ((scan.verb !== 'UPDATE' && scan.verb !== 'DELETE') || scan.statements !== 1) return null;
  const words = listWords(scan);
  const find = (wanted: string): Lexeme | undefined =>
    words.find(({ type, text, depth }) => type === 'word' && depth === 0 && text === wanted);
  const sources = words.filter(({ type, text }) => type === 'word' && OTHER_SOURCES.has(text));
  const [where, first, last] = [find('WHERE'), words[0], words.at(-1)];
  // DELETE FROM has the word once.
  if (sources.length > (scan.verb === 'DELETE' ? 1 : 0) || !where || !first || !last) return null;
  const returning = find('RETURNING');
  if (returning !== undefined && returning.start < where.start) return null;
  const conditionEnd = returning === undefined ? last.end : (words[words.indexOf(returning) - 1]?.end ?? where.end);
  return { start: first.start, condition: where.end, conditionEnd, end: last.end, returns: returning !== undefined };
}
