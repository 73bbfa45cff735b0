/**
 * Follows a value that a sub-query, a WITH entry, VALUES or a function in FROM hands on as a column. Returns only
 * certain places.
 */
import { findAlias } from './mentions.js';
import { findListLeft, readColumnList, readRowColumns } from './placeholders.js';
import { findGroupEnd, findHolder, getLexemeName, isName, listCommonTables, visitTables, type Lexeme } from './read.js';
import { readSelectLists, type SelectItem, type SelectList } from './select-lists.js';
import { listSourcesAt } from './sources.js';

/** Lexemes `[from, to)`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface HandedOn {
  /** Where the value stands again. */
  readonly spans: readonly Span[];
  /** Columns that it is written to, or equals by a join or INSERT. */
  readonly columns: readonly string[];
}

export type HasColumn = (table: string, column: string) => boolean;

const SETS = /^(?:UNION|INTERSECT|EXCEPT)$/;
const NOTHING: HandedOn = { spans: [], columns: [] };

/** A column of a derived table, where its query makes it visible. */
interface HandedColumn {
  readonly alias: string;
  readonly name: string;
  /** In the columns of the derived table; null if unknown. */
  readonly position: number | null;
  /** The query that has the derived table in its FROM. */
  readonly visible: Span;
  /** The derived table itself, in which the column is not visible. */
  readonly own: Span;
}

/** Returns the function that follows the value of a span, which is a whole expression. */
export function createValueFollower(
  words: readonly Lexeme[],
  text: string,
  hasColumn: HasColumn,
): (span: Span) => HandedOn {
  const lists = readSelectLists(words, text);
  const common = listCommonTables(words);

  /** `IS DISTINCT FROM (SELECT ...)` compares. */
  const isInFrom = (i: number): boolean =>
    lists.isInFrom(i) && !(words[i - 1]?.text === 'FROM' && words[i - 2]?.text === 'DISTINCT');
  const isText = (i: number, name: string): boolean => words[i]?.text === name;

  /** A group or the statement, and of a set operation one side. */
  function findQueryAround(i: number): Span {
    const holder = findHolder(words, i);
    const depth = words[i]?.depth ?? 0;
    const end = holder < 0 ? words.length : findGroupEnd(words, holder) - 1;
    const isEnd = (at: number): boolean =>
      words[at]?.depth === depth && (words[at]?.type === 'semicolon' || SETS.test(words[at]?.text ?? ''));
    let [from, to] = [i, i];
    while (from > holder + 1 && !isEnd(from - 1)) from--;
    while (to < end && !isEnd(to)) to++;
    return { from, to };
  }

  /** The group that holds all sides of the set operation, and parentheses around those. */
  function findWholeQuery(list: SelectList): number {
    let holder = findHolder(words, list.at);
    while (holder > 0 && (isWrapped(holder) || lists.findSetBefore(holder) >= 0 || isSide(holder)))
      holder = findHolder(words, holder);
    return holder;
  }

  const isSide = (holder: number): boolean => SETS.test(words[findGroupEnd(words, holder)]?.text ?? '');

  /** `FROM ((SELECT ...))`, and no call. */
  const isWrapped = (holder: number): boolean =>
    words[holder - 1]?.type === 'open' &&
    words[findGroupEnd(words, holder)]?.type === 'close' &&
    /^(?:FROM|JOIN|LATERAL|USING|AS|MATERIALIZED|IN|=|,|\()$/.test(words[holder - 2]?.text ?? '');

  function getName(list: SelectList, position: number | null, item: SelectItem | undefined): string | null {
    const [names] = lists.listColumnAliases(list.at);
    if (names !== undefined) return position === null ? null : (names[position]?.[0] ?? null);
    const first = lists.findFirstArm(list);
    const own = first === list ? item : position === null ? undefined : first.items[position];
    if (first.isValues) return position === null ? null : `column${position + 1}`;
    const last = words[(own?.end ?? 0) - 1];
    return own?.alias?.[0] ?? (isName(last) ? getLexemeName(last) : null);
  }

  function listHandedColumns(list: SelectList, position: number | null, item: SelectItem): readonly HandedColumn[] {
    const open = findWholeQuery(list);
    const name = getName(list, position, item);
    if (open < 0 || name === null) return [];
    const own = { from: open, to: findGroupEnd(words, open) };
    const entry = common.find(({ body }) => body === open);
    if (entry === undefined) {
      const alias = isInFrom(open) ? findAlias(words, own.to - 1) : null;
      return alias === null ? [] : [{ alias, name, position, visible: findQueryAround(open), own }];
    }
    const found: HandedColumn[] = [];
    visitTables(words, (word, index, qualified) => {
      const isEntry = !qualified && index >= entry.from && index < entry.to && getLexemeName(word) === entry.name;
      if (!isEntry) return;
      const alias = findAlias(words, index) ?? entry.name;
      found.push({ alias, name, position, visible: findQueryAround(index), own });
    });
    return found;
  }

  /** `unnest($1) AS u(x)`, `unnest($1) AS x`. */
  function listFunctionColumns({ from, to }: Span): readonly HandedColumn[] {
    if (!isInFrom(from) || !/^(?:FROM|JOIN|LATERAL|USING)$|^,$/.test(words[from - 1]?.text ?? '')) return [];
    const alias = findAlias(words, to - 1);
    if (alias === null) return [];
    const name = lists.readColumnAliases(to)?.[0]?.[0] ?? alias;
    return [{ alias, name, position: 0, visible: findQueryAround(from), own: { from, to } }];
  }

  function listReads(column: HandedColumn): HandedOn {
    const { alias, name, visible, own } = column;
    const [spans, columns]: [Span[], string[]] = [[], []];
    for (let i = visible.from; i < visible.to; i++) {
      const word = words[i];
      if (word === undefined || (i >= own.from && i < own.to)) continue;
      if (word.text === 'NATURAL' && word.type === 'word') columns.push(name);
      const end = isText(i, '*') ? i + 1 : -1;
      if (end >= 0 && hasStarAt(i, column)) addStar(i, column, spans, columns);
      if (!isName(word) || getLexemeName(word) !== name || /^(?:open|dot)$/.test(words[i + 1]?.type ?? '')) continue;
      const holder = findHolder(words, i);
      if (isText(holder - 1, 'USING')) columns.push(name);
      else if (words[i - 1]?.type === 'dot') {
        const qualifier = words[i - 2];
        if (isName(qualifier) && getLexemeName(qualifier) === alias && words[i - 3]?.type !== 'dot')
          spans.push({ from: i - 2, to: i + 1 });
      } else if (!isText(i - 1, 'AS') && isOnlySource(i, column)) spans.push({ from: i, to: i + 1 });
    }
    return { spans, columns };
  }

  /** No table or other query that is visible there has a column of the name. */
  const isOnlySource = (i: number, { alias, name }: HandedColumn): boolean =>
    listSourcesAt(words, i).every(({ alias: other, table, outputs }) =>
      table === null ? other === alias || outputs?.includes(name) !== true : !hasColumn(table, name),
    );

  function hasStarAt(i: number, { alias }: HandedColumn): boolean {
    const before = words[i - 1];
    if (before?.type === 'dot') return isName(words[i - 2]) && getLexemeName(words[i - 2] as Lexeme) === alias;
    return before?.type === 'comma' || /^(?:SELECT|DISTINCT|ALL|RETURNING)$/.test(before?.text ?? '');
  }

  /** `SELECT *` hands the column on under its own name. */
  function addStar(i: number, column: HandedColumn, spans: Span[], columns: string[]): void {
    const list = lists.blocks.find(({ items }) => items.some(({ from, end }) => i >= from && i < end));
    const at = list?.items.findIndex(({ from, end }) => i >= from && i < end) ?? -1;
    const item = list?.items[at];
    if (list === undefined || item === undefined) return;
    const isAlone = words[i - 1]?.type === 'dot' || listSourcesAt(words, i).length === 1;
    const isPlaced =
      isAlone && column.position !== null && list.items.slice(0, at).every(({ end }) => !isText(end - 1, '*'));
    const position = isPlaced ? at + (column.position ?? 0) : null;
    const written = position === null ? null : findInsertColumn(list, position);
    if (written !== null) columns.push(written);
    for (const handed of listHandedColumns(list, position, { ...item, alias: [column.name] })) {
      const found = listReads(handed);
      spans.push(...found.spans);
      columns.push(...found.columns);
    }
  }

  /** The column of `INSERT INTO table (columns) SELECT ...` at a position. */
  function findInsertColumn({ at }: SelectList, position: number): string | null {
    const close = isText(at - 1, 'VALUE') ? at - 2 : at - 1;
    if (words[close]?.type !== 'close') return null;
    const open = findHolder(words, close - 1);
    const isTarget = words.slice(Math.max(0, open - 6), open).some(({ text: one }) => one === 'INTO');
    return isTarget ? (readColumnList(words, open)[position] ?? null) : null;
  }

  return (span) => {
    const ofFunction = listFunctionColumns(span).map(listReads);
    const ofLists = lists.blocks.flatMap((list): HandedOn[] => {
      const position = list.items.findIndex(({ from, end }) => from === span.from && end === span.to);
      const item = list.items[position];
      if (item === undefined) return [];
      const open = findWholeQuery(list);
      const isInExpression = open >= 0 && !common.some(({ body }) => body === open) && !isInFrom(open);
      // A query in an expression is its value if it has one column, else a row.
      if (isInExpression && list.items.length === 1)
        return [{ spans: [{ from: open, to: findGroupEnd(words, open) }], columns: [] }];
      if (isInExpression) {
        const left = isText(open - 1, '=') ? open - 2 : findListLeft(words, open);
        const name = readRowColumns(words, left)[position];
        return typeof name === 'string' ? [{ spans: [], columns: [name] }] : [];
      }
      const written = findFirstOfInsert(list, position);
      const handed = listHandedColumns(list, position, item).map(listReads);
      return [...handed, { spans: [], columns: written === null ? [] : [written] }];
    });
    return mergeAll([...ofFunction, ...ofLists]);
  };

  /** Of the second and later sides of `INSERT INTO table (columns) SELECT ... UNION SELECT ...`. */
  function findFirstOfInsert(list: SelectList, position: number): string | null {
    const first = lists.findFirstArm(list);
    return first === list ? null : findInsertColumn(first, position);
  }
}

const mergeAll = (all: readonly HandedOn[]): HandedOn =>
  all.length === 0
    ? NOTHING
    : { spans: all.flatMap(({ spans }) => spans), columns: all.flatMap(({ columns }) => columns) };
