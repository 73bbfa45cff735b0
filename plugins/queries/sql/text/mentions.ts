/**
 * Finds mentions of columns and their possible tables: by qualifier, or by the innermost FROM list. Returns only
 * certain ones.
 */
import type { ColumnMention, StatementText } from '../../../../contract/statement-text.js';
import { findHolder, isName, getLexemeName, toLexemes, type Lexeme } from './read.js';

/** Keywords after a table name that are not aliases. */
const NO_ALIAS = new Set(
  (
    'AS WHERE SET ON USING JOIN INNER LEFT RIGHT FULL CROSS NATURAL OUTER GROUP HAVING ORDER LIMIT OFFSET FETCH FOR ' +
    'UNION INTERSECT EXCEPT WINDOW RETURNING VALUES SELECT DEFAULT TABLESAMPLE OVERRIDING WITH WHEN LATERAL'
  ).split(' '),
);

/** `holder`: position of the enclosing parenthesis. */
interface TableInText {
  readonly name: string;
  readonly alias: string | null;
  readonly holder: number;
}

export function readMentions(scan: StatementText, names: readonly string[]): ColumnMention[] {
  const text = scan.text.toLowerCase();
  if (!names.some((name) => text.includes(name))) return [];
  const words = toLexemes(scan.text, scan.tokens);
  const tables = scan.tables.flatMap(({ name, start }): TableInText[] => {
    const i = words.findIndex((word) => word.start === start);
    return i < 0 ? [] : [{ name, alias: findAlias(words, i), holder: findHolder(words, i) }];
  });
  const written = words.map((word) => (isName(word) ? getLexemeName(word) : ''));
  // A name defined with AS in another part of the statement may not be a column.
  const madeUp = (name: string, at: number): boolean =>
    written.some(
      (text, i) => text === name && words[i - 1]?.text === 'AS' && findHolder(words, i) !== findHolder(words, at),
    );
  return words.flatMap((word, i) => {
    const name = written[i] ?? '';
    if (!names.includes(name) || words[i - 1]?.text === 'AS' || words[i + 1]?.text === '(') return [];
    const found =
      words[i - 1]?.type === 'dot'
        ? resolveQualifier(scan, tables, words[i - 2])
        : madeUp(name, i)
          ? []
          : resolveScope(words, tables, i);
    return found.length === 0 ? [] : [{ name, tables: found, start: word.start, end: word.end }];
  });
}

/** `i` is the end of the table name, or of the group. */
export function findAlias(words: readonly Lexeme[], i: number): string | null {
  const at = words[i + 1]?.text === '*' ? i + 2 : i + 1;
  const word = words[words[at]?.text === 'AS' ? at + 1 : at];
  if (!isName(word) || (word.type === 'word' && NO_ALIAS.has(word.text))) return null;
  return getLexemeName(word);
}

function resolveQualifier(scan: StatementText, tables: readonly TableInText[], word: Lexeme | undefined): string[] {
  if (!isName(word)) return [];
  const name = getLexemeName(word);
  if (name === 'excluded' && scan.target !== null) return [scan.target.name];
  const found = tables.find((table) => table.alias === name) ?? tables.find((table) => table.name === name);
  return found === undefined ? [] : [found.name];
}

function resolveScope(words: readonly Lexeme[], tables: readonly TableInText[], i: number): string[] {
  for (let at = i; at >= 0;) {
    const holder = findHolder(words, at);
    const here = tables.filter((table) => table.holder === holder);
    if (here.length > 0) return [...new Set(here.map(({ name }) => name))];
    at = holder;
  }
  return [];
}
