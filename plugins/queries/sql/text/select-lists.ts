/** Reads the select lists of a statement, with the names that sub-queries, aliases and set operations give. */
import { findGroupEnd, findHolder, getLexemeName, isName, visitTables, type Lexeme } from './read.js';

const splitWords = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const LIST_END = splitWords(
  'FROM INTO WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH FOR UNION INTERSECT EXCEPT WINDOW SELECT',
);
const CLAUSES = splitWords('SELECT FROM WHERE ON BY SET VALUES RETURNING HAVING JOIN USING LIMIT');
const SET_OPERATORS = splitWords('UNION INTERSECT EXCEPT');
const NO_ALIAS = splitWords('END NULL TRUE FALSE UNKNOWN');
export const CONDITIONS = splitWords(
  'AND OR NOT IS IN LIKE ILIKE SIMILAR BETWEEN REGEXP RLIKE ISNULL NOTNULL OVERLAPS',
);

export interface SelectItem {
  readonly from: number;
  readonly end: number;
  /** Null without an alias. MySQL keeps the case in which it is written. */
  readonly alias: readonly string[] | null;
}

/** The written forms of each name. */
type NameList = readonly (readonly string[])[];

export interface SelectList {
  readonly at: number;
  readonly items: readonly SelectItem[];
  /** A row of VALUES; its columns are `column1`, `column2`. */
  readonly isValues: boolean;
}

export type SelectLists = ReturnType<typeof readSelectLists>;

export const isEndOfAlias = ({ type, text }: Lexeme): boolean =>
  type === 'word' && (LIST_END.has(text) || CLAUSES.has(text));

export function readSelectLists(words: readonly Lexeme[], text: string) {
  const getWrittenNames = (word: Lexeme): readonly string[] => {
    const name = getLexemeName(word);
    const written = word.type === 'word' ? text.slice(word.start, word.end) : name;
    return written === name ? [name] : [name, written];
  };
  const isWord = (i: number, name: string): boolean => words[i]?.type === 'word' && words[i]?.text === name;
  const isModifier = (i: number): boolean => /^(?:ALL|DISTINCT)$/.test(words[i]?.text ?? '');
  const isFree = (i: number): boolean => words[i]?.type === 'word' && words[i - 1]?.type !== 'dot';
  const blocks = words.flatMap((_, i): SelectList[] =>
    isFree(i) && (isWord(i, 'SELECT') || isWord(i, 'RETURNING'))
      ? [{ at: i, items: readItems(i), isValues: false }]
      : isFree(i) && isWord(i, 'VALUES')
        ? readRows(i)
        : [],
  );
  const rows = listRows();

  function readItems(at: number): SelectItem[] {
    const depth = words[at]?.depth ?? 0;
    let from = at + 1;
    if (isModifier(from)) from++;
    if (isWord(from, 'ON') && words[from + 1]?.type === 'open') from = findGroupEnd(words, from + 1);
    const items: SelectItem[] = [];
    let i = from;
    for (; i < words.length; i++) {
      const word = words[i];
      if (word === undefined || word.depth < depth || word.type === 'semicolon') break;
      if (word.depth > depth) continue;
      if (
        isFree(i) &&
        LIST_END.has(word.text) &&
        !((word.text === 'FROM' && isWord(i - 1, 'DISTINCT')) || isWord(i - 1, 'WITHIN'))
      )
        break;
      if (word.type !== 'comma') continue;
      items.push(readItem(from, i));
      from = i + 1;
    }
    return i > from ? [...items, readItem(from, i)] : items;
  }

  function readRows(at: number): SelectList[] {
    const found: SelectList[] = [];
    for (let open = at + 1; words[open]?.type === 'open'; open++) {
      const end = findGroupEnd(words, open);
      const items: SelectItem[] = [];
      let from = open + 1;
      for (let i = from; i < end; i++) {
        const isEnd =
          i === end - 1 || (words[i]?.type === 'comma' && words[i]?.depth === (words[open]?.depth ?? 0) + 1);
        if (!isEnd) continue;
        items.push({ from, end: i, alias: null });
        from = i + 1;
      }
      found.push({ at, items, isValues: true });
      if (words[end]?.type !== 'comma') break;
      open = end;
    }
    return found;
  }

  function readItem(from: number, end: number): SelectItem {
    const [last, before] = [words[end - 1], words[end - 2]];
    if (end - from >= 3 && isWord(end - 2, 'AS') && isName(last))
      return { from, end: end - 2, alias: getWrittenNames(last) };
    const follows =
      before !== undefined && /^(?:word|quoted-identifier|close|number|string|placeholder|cast)$/.test(before.type);
    if (end - from < 2 || !follows || !isName(last) || (last.type === 'word' && NO_ALIAS.has(last.text)))
      return { from, end, alias: null };
    if (before.type === 'word' && (CONDITIONS.has(before.text) || before.text === 'COLLATE'))
      return { from, end, alias: null };
    return { from, end: end - 1, alias: getWrittenNames(last) };
  }

  /** Names of tables and sub-queries: as a value, such a name is the whole row. */
  function listRows(): ReadonlySet<string> {
    const found = new Set<string>();
    const addAlias = (i: number): void => {
      const at = isWord(i, 'AS') ? i + 1 : i;
      const word = words[at];
      if (isName(word) && !isEndOfAlias(word)) found.add(getLexemeName(word));
    };
    visitTables(words, (word, index) => {
      found.add(getLexemeName(word));
      addAlias(index + 1);
    });
    for (const { at } of blocks) {
      const holder = findHolder(words, at);
      if (holder > 0 && isInFrom(holder)) addAlias(findGroupEnd(words, holder));
    }
    return found;
  }

  function isInFrom(i: number): boolean {
    const depth = words[i]?.depth ?? 0;
    for (let at = i - 1; at >= 0 && (words[at]?.depth ?? 0) >= depth; at--)
      if (words[at]?.depth === depth && isFree(at) && CLAUSES.has(words[at]?.text ?? ''))
        return isWord(at, 'FROM') || isWord(at, 'JOIN') || isWord(at, 'USING');
    return false;
  }

  /** Names in a group such as `(a, b)`; null if it is another group. */
  function readNames(open: number): NameList | null {
    if (words[open]?.type !== 'open') return null;
    const group = words.slice(open + 1, findGroupEnd(words, open) - 1);
    const names = group.filter((_, i) => i % 2 === 0);
    const isList = group.every((word, i) => (i % 2 === 0 ? isName(word) : word.type === 'comma'));
    return isList && names.length > 0 ? names.map(getWrittenNames) : null;
  }

  /** The alias of a derived table, as in `(SELECT ...) x (a, b)`. */
  function readColumnAliases(end: number): NameList | null {
    const at = isWord(end, 'AS') ? end + 1 : end;
    return isName(words[at]) ? readNames(at + 1) : null;
  }

  function listColumnAliases(at: number): NameList[] {
    const found: NameList[] = [];
    for (let holder = findHolder(words, at); holder !== -1; holder = findHolder(words, holder)) {
      const aliases = readColumnAliases(findGroupEnd(words, holder));
      if (aliases !== null) found.push(aliases);
      let before = holder - 1;
      while (isWord(before, 'MATERIALIZED') || isWord(before, 'NOT') || isWord(before, 'AS')) before--;
      if (before < holder - 1 && words[before]?.type === 'close') {
        const names = readNames(findGroupStart(before));
        if (names !== null) found.push(names);
      }
      if (words[holder - 1]?.type !== 'open' && findSetBefore(holder) === -1) break;
    }
    return found;
  }

  function findGroupStart(close: number): number {
    const depth = words[close]?.depth ?? 0;
    let at = close - 1;
    while (at > 0 && !(words[at]?.type === 'open' && words[at]?.depth === depth)) at--;
    return at;
  }

  /** Position of the set operator directly before, or -1. */
  function findSetBefore(i: number): number {
    let at = i - 1;
    while (words[at]?.type === 'open') at--;
    while (isModifier(at)) at--;
    return words[at]?.type === 'word' && SET_OPERATORS.has(words[at]?.text ?? '') ? at : -1;
  }

  /** The first query of a set operation names the columns. */
  function findFirstArm(block: SelectList): SelectList {
    const operator = findSetBefore(block.at);
    if (operator === -1) return block;
    const inside = words[operator - 1]?.type === 'close' ? findGroupStart(operator - 1) : -1;
    const depth = words[operator]?.depth ?? 0;
    const earlier =
      inside >= 0
        ? blocks.find(({ at }) => at > inside)
        : blocks.findLast(({ at }) => at < operator && words[at]?.depth === depth);
    return earlier === undefined || earlier.at >= block.at ? block : findFirstArm(earlier);
  }

  return {
    readNameGroup: readNames,
    blocks,
    rows,
    getWrittenNames,
    isWord,
    isFree,
    isInFrom,
    listColumnAliases,
    readColumnAliases,
    findSetBefore,
    findFirstArm,
  };
}
