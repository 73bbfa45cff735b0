/** The tables, WITH entries and subqueries that are visible at a position of possibly incomplete SQL. */
import { findAlias } from './mentions.js';
import { readColumnList, findElementStarts } from './placeholders.js';
import {
  findGroupEnd,
  listCommonTables,
  visitTables,
  findHolder,
  isName,
  getLexemeName,
  readTarget,
  type Lexeme,
} from './read.js';

/** A column name, or the sources of a `*`. */
export type SqlOutput = string | readonly SqlSource[];

export interface SqlSource {
  readonly alias: string;
  /** Null for a subquery or a WITH entry. */
  readonly table: string | null;
  /** Columns of a subquery or a WITH entry; null for a table. */
  readonly outputs: readonly SqlOutput[] | null;
}

interface LocatedSource {
  readonly source: SqlSource;
  readonly index: number;
  /** Position of the parenthesis around its query, or -1. */
  readonly query: number;
}

const QUERY = new Set(['SELECT', 'WITH', 'VALUES', 'INSERT', 'UPDATE', 'DELETE', 'TABLE']);
const SETS = new Set(['UNION', 'INTERSECT', 'EXCEPT']);

/** Outputs of subqueries are computed on demand. */
interface SourceContext {
  readonly words: readonly Lexeme[];
  readonly all: LocatedSource[];
  /** By position of the query's parenthesis; a recursive reference has no outputs. */
  readonly answers: Map<number, readonly SqlOutput[]>;
}

/** Skips parentheses of calls and lists; -1 at the top level. */
export function findQuery(words: readonly Lexeme[], i: number): number {
  let at = findHolder(words, i);
  while (at >= 0 && !QUERY.has(words[at + 1]?.text ?? '')) at = findHolder(words, at);
  return at;
}

/** Innermost query first. */
export function listSourcesAt(words: readonly Lexeme[], i: number): readonly SqlSource[] {
  return read(createSourceContext(words), i);
}

export function listCommonAt(words: readonly Lexeme[], i: number): readonly SqlSource[] {
  const reading = createSourceContext(words);
  return listCommonTables(words)
    .filter(({ from, to }) => i >= from && i < to)
    .map(({ name, at, body }) => ({ alias: name, table: null, outputs: listCommonOutputs(reading, at, body) }));
}

function read({ words, all }: SourceContext, i: number): readonly SqlSource[] {
  const found: SqlSource[] = [];
  for (let at = i, isHidden = false; ;) {
    const query = findQuery(words, at);
    if (!isHidden) {
      const { from, to, excluded } = findPart(words, query, at);
      const here = all.filter((one) => one.query === query && one.index >= from && one.index < to);
      found.push(...here.map(({ source }) => source));
      const [target] = here;
      if (excluded && target !== undefined) found.push({ ...target.source, alias: 'excluded' });
    }
    if (query < 0) return found;
    isHidden = !canSeeOutside(words, query);
    at = query;
  }
}

/** A subquery of a FROM list sees outer sources only after LATERAL, a WITH entry never. */
function canSeeOutside(words: readonly Lexeme[], open: number): boolean {
  const before = words[open - 1]?.text;
  if (before === 'AS' || before === 'MATERIALIZED') return false;
  return before === 'LATERAL' || !isSource(words, open);
}

interface Part {
  readonly from: number;
  readonly to: number;
  /** `excluded` names the row that an INSERT could not write. */
  readonly excluded: boolean;
}

/** One side of a UNION; for an INSERT its target or its source rows. */
function findPart(words: readonly Lexeme[], query: number, i: number): Part {
  const begin = query + 1;
  const end = query < 0 ? words.length : findGroupEnd(words, query) - 1;
  const depth = words[begin]?.depth ?? 0;
  const on = (at: number): Lexeme | undefined => (words[at]?.depth === depth ? words[at] : undefined);
  const isEnd = (at: number): boolean => on(at)?.type === 'semicolon' || SETS.has(on(at)?.text ?? '');
  let from = begin;
  let to = i;
  for (let at = begin; at < i; at++) if (isEnd(at)) from = at + 1;
  while (to < end && !isEnd(to)) to++;
  const find = (text: string, after: number): number => {
    for (let at = after; at < to; at++) if (on(at)?.text === text) return at;
    return to;
  };
  const insert = find('INSERT', from);
  if (insert === to) return { from, to, excluded: false };
  const rows = find('SELECT', insert);
  const conflict = find('CONFLICT', insert);
  const behind = Math.min(conflict, find('RETURNING', insert));
  const target = { from: insert, to: Math.min(rows, behind) };
  if (i >= behind) return { ...target, excluded: i > conflict && i < find('RETURNING', conflict) };
  return i < rows ? { ...target, excluded: false } : { from: rows, to: behind, excluded: false };
}

function createSourceContext(words: readonly Lexeme[]): SourceContext {
  const common = listCommonTables(words);
  const reading: SourceContext = { words, all: [], answers: new Map() };
  const add = (index: number, source: SqlSource): void => {
    reading.all.push({ source, index, query: findQuery(words, index) });
  };
  visitTables(words, (word, index, qualified) => {
    const name = getLexemeName(word);
    const alias = findAlias(words, index) ?? name;
    const entry = qualified ? undefined : common.find((c) => c.name === name && index >= c.from && index < c.to);
    if (entry === undefined) add(index, { alias, table: name, outputs: null });
    else
      add(
        index,
        createLazySource(alias, () => listCommonOutputs(reading, entry.at, entry.body)),
      );
  });
  words.forEach((word, i) => {
    if (word.text !== '(' || !QUERY.has(words[i + 1]?.text ?? '') || !isSource(words, i)) return;
    const close = findGroupEnd(words, i) - 1;
    const alias = findAlias(words, close);
    if (alias === null) return;
    const list = words[close + 1]?.text === 'AS' ? close + 3 : close + 2;
    add(
      i,
      createLazySource(alias, () =>
        words[list]?.text === '(' ? listColumnNames(words, list) : listOutputs(reading, i),
      ),
    );
  });
  reading.all.sort((a, b) => a.index - b.index);
  return reading;
}

const createLazySource = (alias: string, outputs: () => readonly SqlOutput[]): SqlSource => ({
  alias,
  table: null,
  get outputs() {
    return outputs();
  },
});

function isSource(words: readonly Lexeme[], open: number): boolean {
  const before = words[open - 1];
  if (before?.type === 'word') return /^(FROM|JOIN|LATERAL|USING)$/.test(before.text);
  if (before?.type === 'open') return isSource(words, open - 1);
  if (before?.type !== 'comma') return false;
  for (let at = open - 1; at >= 0; at--) {
    const word = words[at];
    if (word === undefined || word.depth < before.depth) return false;
    if (word.depth > before.depth || word.type !== 'word') continue;
    if (word.text === 'FROM' || word.text === 'USING') return true;
    if (/^(SELECT|WHERE|SET|VALUES|BY|HAVING|RETURNING)$/.test(word.text)) return false;
  }
  return false;
}

const listColumnNames = (words: readonly Lexeme[], open: number): string[] =>
  readColumnList(words, open).flatMap((name) => name ?? []);

/** The names in `name (a, b) AS (query)`, or else those of the query. */
const listCommonOutputs = (reading: SourceContext, at: number, body: number): readonly SqlOutput[] =>
  reading.words[at + 1]?.text === '(' ? listColumnNames(reading.words, at + 1) : listOutputs(reading, body);

function listOutputs(reading: SourceContext, open: number): readonly SqlOutput[] {
  const { words, answers } = reading;
  const known = answers.get(open);
  if (known !== undefined) return known;
  answers.set(open, []);
  const end = findGroupEnd(words, open);
  const inner = (words[open]?.depth ?? 0) + 1;
  const verbs = [...words.keys()].filter(
    (i) => i > open && i < end && words[i]?.depth === inner && /^(SELECT|RETURNING)$/.test(words[i]?.text ?? ''),
  );
  const isWrite = verbs.find((i) => words[i]?.text === 'RETURNING');
  const verb = isWrite ?? verbs[0];
  if (verb === undefined) return [];
  const starts = findElementStarts(words, verb + (/^(DISTINCT|ALL)$/.test(words[verb + 1]?.text ?? '') ? 2 : 1));
  const listEnd = findListEnd(words, verb + 1, inner, end - 1);
  const outputs = starts.flatMap((start, i) => {
    const output = readOutput(reading, start, (starts[i + 1] ?? listEnd + 1) - 1);
    return output === null ? [] : [output];
  });
  answers.set(open, outputs);
  return outputs;
}

function findListEnd(words: readonly Lexeme[], from: number, depth: number, end: number): number {
  for (let at = from; at < end; at++) {
    const word = words[at];
    if (
      word?.depth === depth &&
      /^(FROM|WHERE|GROUP|ORDER|LIMIT|UNION|INTERSECT|EXCEPT|HAVING|OFFSET)$/.test(word.text)
    )
      return at;
  }
  return end;
}

function readOutput(reading: SourceContext, start: number, end: number): SqlOutput | null {
  const { words } = reading;
  const last = words[end - 1];
  if (last?.text === '*') {
    const sources = read(reading, start);
    const qualifier = words[end - 3];
    const only = words[end - 2]?.type === 'dot' && isName(qualifier) ? getLexemeName(qualifier) : null;
    return only === null ? sources : sources.filter(({ alias }) => alias === only);
  }
  if (isName(last)) return getLexemeName(last);
  // A call without an alias is named after its function.
  const first = words[start];
  return isName(first) && words[start + 1]?.text === '(' ? getLexemeName(first) : null;
}

/** Null if the statement writes no table. */
export function findTarget(words: readonly Lexeme[], i: number): string | null {
  for (let at = i; at >= 0; at--) {
    if (findQuery(words, at) !== findQuery(words, i)) continue;
    if (!/^(INSERT|UPDATE|DELETE)$/.test(words[at]?.text ?? '') || words[at - 1]?.text === 'DO') continue;
    return readTarget(words, at)?.name ?? null;
  }
  return null;
}
