/** Classifies the tokens of a statement for highlighting. Does not check whether names exist. */
import type { StatementText } from '../../../../contract/statement-text.js';
import { findAlias } from './mentions.js';
import { listCommonTables, visitTables, isName, getLexemeName, toLexemes, type Lexeme } from './read.js';
import { isPlainWord, isSqlWord } from './words.js';

export type SqlRole =
  | 'keyword'
  | 'table'
  /** An alias or a WITH entry. */
  | 'source'
  | 'column'
  | 'function'
  | 'type'
  | 'placeholder'
  | 'string'
  | 'number'
  | 'comment'
  | 'operator';

export interface SqlPiece {
  readonly role: SqlRole;
  readonly start: number;
  readonly end: number;
  /** Empty if the piece is not a name. */
  readonly name: string;
}

const ROLES: Readonly<Partial<Record<Lexeme['type'], SqlRole>>> = {
  string: 'string',
  'dollar-string': 'string',
  number: 'number',
  comment: 'comment',
  placeholder: 'placeholder',
  operator: 'operator',
};

export function classifyTokens({
  text,
  tokens,
  tables,
}: Pick<StatementText, 'text' | 'tokens' | 'tables'>): SqlPiece[] {
  const words = toLexemes(text, tokens);
  const tableAt = new Set(tables.map(({ start }) => start));
  const sources = listSourceNames(words);
  const known = new Set(tables.map(({ name }) => name));
  let i = -1;
  return tokens.flatMap(({ type, start, end }): SqlPiece[] => {
    if (type !== 'comment') i++;
    const word = words[i];
    if (type === 'cast') return toCastPieces(start, end);
    if (!isName(word) || type === 'comment') {
      const role = ROLES[type];
      return role === undefined ? [] : [{ role, start, end, name: '' }];
    }
    const name = getLexemeName(word);
    const role = classifyName(words, i, name, { isTable: tableAt.has(start), sources, known });
    return [{ role, start, end, name: role === 'keyword' ? '' : name }];
  });
}

interface Names {
  readonly isTable: boolean;
  readonly sources: ReadonlySet<string>;
  readonly known: ReadonlySet<string>;
}

function classifyName(words: readonly Lexeme[], i: number, name: string, { isTable, sources, known }: Names): SqlRole {
  const [before, word, next] = [words[i - 1], words[i], words[i + 1]];
  if (isTable) return 'table';
  const isQuoted = word?.type === 'quoted-identifier';
  const isTail = before?.type === 'dot';
  if (!isQuoted && !isTail && isSqlWord(name) && !(known.has(name) && next?.type === 'dot')) return 'keyword';
  if (next?.type === 'dot') return known.has(name) && !sources.has(name) ? 'table' : 'source';
  if (isTail) return 'column';
  // In `INSERT INTO t (a)` the name is a table, otherwise a function.
  if (next?.text === '(' && !sources.has(name) && !(isPlainWord(name) && !isQuoted)) return 'function';
  if (isDefinition(words, i) || (sources.has(name) && before?.type !== 'comma' && isSourcePlace(before)))
    return 'source';
  return !isQuoted && isPlainWord(name) ? 'keyword' : 'column';
}

const isSourcePlace = (before: Lexeme | undefined): boolean =>
  /^(FROM|JOIN|USING|LATERAL|WITH)$/.test(before?.text ?? '');

function isDefinition(words: readonly Lexeme[], i: number): boolean {
  const lead = words[i - 1]?.text === 'AS' ? i - 2 : i - 1;
  const before = words[lead];
  return (isName(before) && !isSqlWord(before.text) && !isPlainWord(before.text)) || before?.type === 'close'
    ? findAlias(words, lead) === getLexemeName(words[i] as Lexeme) && isSourceBefore(words, lead)
    : false;
}

/** True if the name or group that ends at `i` belongs to a FROM list. */
function isSourceBefore(words: readonly Lexeme[], i: number): boolean {
  const depth = words[i]?.depth ?? 0;
  for (let at = i; at >= 0; at--) {
    const word = words[at];
    if (word === undefined || word.depth < depth) return false;
    if (word.depth > depth || word.type !== 'word') continue;
    if (/^(FROM|JOIN|USING|INTO|UPDATE)$/.test(word.text)) return true;
    if (/^(SELECT|WHERE|ON|SET|VALUES|BY|HAVING|RETURNING)$/.test(word.text)) return false;
  }
  return false;
}

function listSourceNames(words: readonly Lexeme[]): Set<string> {
  const names = new Set(listCommonTables(words).map(({ name }) => name));
  visitTables(words, (_, index) => {
    const alias = findAlias(words, index);
    if (alias !== null) names.add(alias);
  });
  return names;
}

const toCastPieces = (start: number, end: number): SqlPiece[] => [
  { role: 'operator', start, end: Math.min(start + 2, end), name: '' },
  ...(end > start + 2 ? [{ role: 'type' as const, start: start + 2, end, name: '' }] : []),
];
