/**
 * The names under which results of a statement reveal secret columns: aliases, expressions, rows of sub-queries,
 * JSON. Reads lexemes of all dialects. What is uncertain counts as revealed; a comparison, a count or a length
 * reveals nothing.
 */
import type { RevealContext, RevealedName } from '../../../../contract/statement-text.js';
import { findGroupEnd, getLexemeName, isName, visitTables, type Lexeme } from './read.js';
import { COMPARES, JSON_OPERATORS, KEEPS_NAMES, READS_PATH, ROW_NAMES, SAFE } from './reveal-words.js';
import { isEndOfAlias, readSelectLists, type SelectItem, type SelectList } from './select-lists.js';

/** `holder`: JSON with a secret under its own name. `row`: a whole row; as text it has no names. */
type Taint = 0 | 1 | 2 | 3;
const [NONE, HOLDER, ROW, SECRET] = [0, 1, 2, 3] as const;

export function createRevealer(
  words: readonly Lexeme[],
  text: string,
): (context: RevealContext) => readonly RevealedName[] {
  const {
    blocks,
    rows,
    getWrittenNames,
    readNameGroup,
    isWord,
    isFree,
    isInFrom,
    listColumnAliases,
    readColumnAliases,
    findSetBefore,
    findFirstArm,
  } = readSelectLists(words, text);

  return ({ names, columns, value, calls, whole = false }) => {
    const keys = new Set([...names].map((name) => name.slice(name.lastIndexOf('.') + 1)));
    const holders = new Set([...names].flatMap((name) => name.split('.').slice(0, -1)));
    const mentionsKey = (literal: string): boolean =>
      literal
        .toLowerCase()
        .match(/[\p{L}\p{N}_]+/gu)
        ?.some((word) => keys.has(word)) === true;

    function taintRange(from: number, end: number): Taint {
      let most: Taint = NONE;
      let compares = false;
      for (let at = from; at < end;) {
        const word = words[at];
        if (word === undefined) break;
        if (
          (word.type === 'operator' || (word.type === 'word' && words[at - 1]?.type !== 'dot')) &&
          COMPARES.has(word.text)
        ) {
          compares = true;
          at++;
        } else if (word.type === 'operator' || word.type === 'comma') at++;
        else {
          const operand = taintOperand(at, end);
          most = Math.max(most, operand.taint) as Taint;
          at = Math.max(operand.end, at + 1);
        }
      }
      return compares ? NONE : most;
    }

    const taintItems = (block: SelectList | undefined): Taint =>
      (block?.items ?? []).reduce<Taint>((most, { from, end }) => Math.max(most, taintRange(from, end)) as Taint, NONE);

    /** All queries in the group, which may be a set operation. */
    function taintQuery(open: number): Taint {
      const end = findGroupEnd(words, open);
      const depth = (words[open]?.depth ?? 0) + 1;
      const inside = blocks.filter(
        ({ at }) => at > open && at < end && (words[at]?.depth === depth || findSetBefore(at) > open),
      );
      return inside.reduce<Taint>((most, block) => Math.max(most, taintItems(block)) as Taint, NONE);
    }

    const isQuery = (open: number): boolean => {
      let at = open + 1;
      while (words[at]?.type === 'open') at++;
      return isWord(at, 'SELECT') || isWord(at, 'WITH') || isWord(at, 'VALUES');
    };

    function taintGroup(open: number): Taint {
      return isQuery(open) ? taintQuery(open) : taintRange(open + 1, findGroupEnd(words, open) - 1);
    }

    /** The results of CASE, without its conditions. */
    function taintCase(at: number, end: number): { taint: Taint; end: number } {
      let most: Taint = NONE;
      let [nested, result] = [0, -1];
      let i = at + 1;
      for (; i < end; i++) {
        if (words[i]?.depth !== words[at]?.depth || !isFree(i)) continue;
        if (isWord(i, 'CASE')) nested++;
        const isEnd = isWord(i, 'END');
        if (nested === 0 && result >= 0 && (isEnd || isWord(i, 'WHEN') || isWord(i, 'ELSE'))) {
          most = Math.max(most, taintRange(result, i)) as Taint;
          result = -1;
        }
        if (nested === 0 && (isWord(i, 'THEN') || isWord(i, 'ELSE'))) result = i + 1;
        if (isEnd && nested-- === 0) break;
      }
      return { taint: most, end: i + 1 };
    }

    function taintCall(at: number): Taint {
      const [name, open] = [words[at]?.text ?? '', at + 1];
      if (SAFE.has(name)) return NONE;
      if (calls?.has(name.toLowerCase()) === true) return SECRET;
      const taint = taintGroup(open);
      if (taint === NONE || taint === SECRET) return taint;
      if (KEEPS_NAMES.has(name)) return HOLDER;
      if (!READS_PATH.test(name)) return SECRET;
      const inside = words.slice(open + 1, findGroupEnd(words, open) - 1);
      const comma = inside.findIndex(({ type, depth }) => type === 'comma' && depth === (words[open]?.depth ?? 0) + 1);
      const rest = inside.slice(comma + 1).filter(({ type }) => type !== 'comma' && type !== 'cast');
      const isLiteral = rest.every(({ type }) => type === 'string' || type === 'number');
      return !isLiteral || rest.some(({ text: literal }) => /[*]|\.\./.test(literal) || mentionsKey(literal))
        ? SECRET
        : HOLDER;
    }

    function readFirst(at: number, end: number): { taint: Taint; end: number } {
      const word = words[at];
      if (word === undefined) return { taint: NONE, end: at + 1 };
      if (word.type === 'open') return { taint: taintGroup(at), end: findGroupEnd(words, at) };
      if (isWord(at, 'CASE')) return taintCase(at, end);
      if (word.type === 'placeholder') return { taint: word.text === value ? SECRET : NONE, end: at + 1 };
      if (!isName(word)) return { taint: NONE, end: at + 1 };
      const next = words[at + 1];
      if (next?.type === 'open' && next.text === '(') return { taint: taintCall(at), end: findGroupEnd(words, at + 1) };
      if (next?.type === 'open' && /^ARRAY$/.test(words[at]?.text ?? ''))
        return { taint: taintGroup(at + 1), end: findGroupEnd(words, at + 1) };
      let last = at;
      while (words[last + 1]?.type === 'dot' && last + 2 < end) last += 2;
      const tail = words[last];
      // `u.*` inside an expression is the whole row.
      if (tail?.text === '*') return { taint: ROW, end: last + 1 };
      if (words[last + 1]?.text === '(') return { taint: taintCall(last), end: findGroupEnd(words, last + 1) };
      const name = isName(tail) ? getLexemeName(tail).toLowerCase() : '';
      if (names.has(name)) return { taint: SECRET, end: last + 1 };
      if (holders.has(name)) return { taint: HOLDER, end: last + 1 };
      const isRow = last === at && rows.has(name) && !columns.has(name);
      return { taint: isRow ? ROW : NONE, end: last + 1 };
    }

    /** An operand with its casts, subscripts, JSON keys and clauses of aggregates. */
    function taintOperand(from: number, end: number): { taint: Taint; end: number } {
      let { taint, end: at } = readFirst(from, end);
      for (; at < end;) {
        const word = words[at];
        if (word?.type === 'cast') {
          if (taint === ROW && !/jsonb?$/i.test(word.text)) taint = SECRET;
          at++;
        } else if (word?.type === 'operator' && JSON_OPERATORS.has(word.text)) {
          const key = words[at + 1];
          const next = readFirst(at + 1, end).end;
          taint = Math.max(taintKey(taint, key, next === at + 2, words[at - 1]), NONE) as Taint;
          at = next;
          if (words[at]?.type === 'cast') at++;
        } else if (word?.type === 'open' && word.text === '[') {
          const close = findGroupEnd(words, at);
          taint = taintKey(taint, words[at + 1], close === at + 3, words[at - 1]);
          at = close;
        } else if (word?.type === 'dot') {
          const field = words[at + 1];
          const name = isName(field) ? getLexemeName(field).toLowerCase() : '*';
          if (names.has(name)) taint = SECRET;
          else if (taint === ROW && name !== '*') taint = holders.has(name) ? HOLDER : NONE;
          at += 2;
        } else if (isWord(at, 'WITHIN') && isWord(at + 1, 'GROUP')) {
          if (taintGroup(at + 2) !== NONE) taint = SECRET;
          at = findGroupEnd(words, at + 2);
        } else if (isWord(at, 'FILTER') && words[at + 1]?.type === 'open') at = findGroupEnd(words, at + 1);
        else if (isWord(at, 'OVER')) at = words[at + 1]?.type === 'open' ? findGroupEnd(words, at + 1) : at + 2;
        else break;
      }
      return { taint, end: at };
    }

    /** A key that is no literal may be that of the secret. */
    /** `before`: the last word of what the key is read from, possibly a row made JSON by a view. */
    function taintKey(taint: Taint, key: Lexeme | undefined, single: boolean, before: Lexeme | undefined): Taint {
      const isLiteral = single && (key?.type === 'string' || key?.type === 'number');
      if (taint === NONE) {
        const isOther = isName(before) && !columns.has(getLexemeName(before).toLowerCase());
        return isOther && isLiteral && mentionsKey(key.text) ? SECRET : NONE;
      }
      if (taint === SECRET) return taint;
      return !isLiteral || mentionsKey(key.text) ? SECRET : HOLDER;
    }

    /** The names that databases give to an item without an alias. */
    function listDefaultNames({ from, end }: SelectItem): string[] {
      const first = words[from];
      const slice = text.slice(first?.start, words[end - 1]?.end);
      const open = words.findIndex((word, i) => i >= from && word.type === 'open');
      const as = isWord(from, 'CAST') ? words.findLastIndex((_, i) => i < end && isWord(i, 'AS')) : -1;
      // A cast has the name of its column, or else of its type.
      const start = as < 0 ? from : isPlain({ from: open + 1, end: as, alias: null }) ? end : as + 1;
      const stop = as >= 0 || first?.type === 'open' || open < 0 ? end : open;
      const inner = words.slice(start, stop).flatMap((word) => (isName(word) ? [getLexemeName(word)] : []));
      return [slice, slice.toLowerCase(), '?column?', ...inner.filter((name) => !columns.has(name))];
    }

    const isPlain = ({ from, end }: SelectItem): boolean =>
      words.slice(from, end).every((word) => word.type === 'dot' || word.type === 'cast' || isName(word));

    const found: RevealedName[] = [];
    for (const block of blocks) {
      const first = findFirstArm(block);
      const aliases = listColumnAliases(block.at);
      let starred = false;
      for (const [i, item] of block.items.entries()) {
        const isStar = words[item.end - 1]?.text === '*' && isPlainStar(item);
        starred ||= isStar;
        const taint = isStar ? NONE : taintRange(item.from, item.end);
        const isRevealed = taint === SECRET || (taint === ROW && item.end === item.from + 1);
        if (starred || isRevealed)
          for (const list of aliases)
            for (const name of list.slice(i, starred ? undefined : i + 1).flat()) found.push({ name, derived: false });
        if (isStar && whole) found.push({ name: '*', derived: false });
        if (!isRevealed) continue;
        const named = first === block ? item : (first.items[i] ?? item);
        if (first.isValues) {
          found.push({ name: `column${i + 1}`, derived: true });
          continue;
        }
        const isSame = named === item && item.alias === null && isPlain(item);
        if (isSame && taint === SECRET) {
          // MySQL names the column of a sub-query as it is written.
          for (const name of getColumnNames(item)) found.push({ name, derived: false });
          continue;
        }
        const created = named.alias ?? (isPlain(named) ? getColumnNames(named) : listDefaultNames(named));
        for (const name of created) found.push({ name, derived: !isPlain(item) });
      }
    }
    found.push(...listWritten(taintRange));
    for (const [i, word] of words.entries()) {
      // A function in FROM returns rows.
      if (!isName(word) || words[i + 1]?.text !== '(' || words[i - 1]?.type === 'dot' || !isInFrom(i)) continue;
      const isSecret = calls?.has(getLexemeName(word).toLowerCase()) === true;
      if (isWord(i, 'LATERAL') || (!isSecret && taintGroupOfCall(i) === NONE)) continue;
      const end = findGroupEnd(words, i + 1);
      const alias = words[isWord(end, 'AS') ? end + 1 : end];
      const listed = readColumnAliases(end) ?? [];
      const own = isName(alias) && !isEndOfAlias(alias) ? getWrittenNames(alias) : [];
      for (const name of [getLexemeName(word), ...(isSecret ? [] : ROW_NAMES), ...own, ...listed.flat()])
        found.push({ name, derived: true });
    }
    visitTables(words, (_word, index) => {
      // `FROM users u (a, b)` renames columns by their order, which is not known here.
      if (!isInFrom(index)) return;
      for (const name of (readColumnAliases(index + 1) ?? []).flat()) found.push({ name, derived: false });
    });
    return found;

    function taintGroupOfCall(i: number): Taint {
      return SAFE.has(words[i]?.text ?? '') ? NONE : taintGroup(i + 1);
    }
  };

  /** `INSERT INTO t (a) SELECT secret`, and `SET a = secret`. */
  function listWritten(taintRange: (from: number, end: number) => Taint): RevealedName[] {
    const found: RevealedName[] = [];
    for (const [i, word] of words.entries()) {
      if (isWord(i, 'INTO') && isWord(i - 1, 'INSERT')) {
        const open = words.findIndex(({ type }, at) => at > i && type === 'open');
        const columns = open < 0 ? null : readNameGroup(open);
        const source = blocks.find(({ at }) => at > open);
        if (columns === null || source === undefined || isWord(source.at, 'RETURNING')) continue;
        for (const block of blocks.filter(({ at }) => at === source.at))
          for (const [n, { from, end }] of block.items.entries())
            if (columns[n] !== undefined && taintRange(from, end) === SECRET)
              for (const name of columns[n]) found.push({ name, derived: true, written: true });
      }
      if (word.type !== 'operator' || word.text !== '=' || !isName(words[i - 1]) || !isAssigned(i)) continue;
      const column = words[i - 1];
      if (column !== undefined && taintRange(i + 1, findValueEnd(i + 1)) === SECRET)
        for (const name of getWrittenNames(column)) found.push({ name, derived: true, written: true });
    }
    return found;
  }

  /** In the list of SET, directly after it or a comma. */
  function isAssigned(i: number): boolean {
    const before = words[i - 2];
    if (isWord(i - 2, 'SET')) return true;
    if (before?.type !== 'comma') return false;
    const depth = words[i]?.depth ?? 0;
    for (let at = i - 2; at >= 0 && (words[at]?.depth ?? 0) >= depth; at--)
      if (
        words[at]?.depth === depth &&
        isFree(at) &&
        /^(?:SET|WHERE|FROM|SELECT|ON|VALUES)$/.test(words[at]?.text ?? '')
      )
        return isWord(at, 'SET');
    return false;
  }

  function findValueEnd(from: number): number {
    const depth = words[from]?.depth ?? 0;
    const at = words.findIndex(
      (word, i) =>
        i > from &&
        (word.depth < depth ||
          (word.depth === depth &&
            (word.type === 'comma' || (isFree(i) && /^(?:WHERE|FROM|RETURNING|ORDER|LIMIT)$/.test(word.text))))),
    );
    return at < 0 ? words.length : at;
  }

  function isPlainStar({ from, end }: SelectItem): boolean {
    return words.slice(from, end).every((word) => word.type === 'dot' || word.text === '*' || isName(word));
  }

  function getColumnNames({ end }: SelectItem): readonly string[] {
    const last = words.slice(0, end).findLast((word) => word.type !== 'cast');
    return isName(last) ? getWrittenNames(last) : ['?column?'];
  }
}
