/**
 * Finds the tables that an unqualified column may belong to, nearest SELECT first. Does not check whether a table has the column.
 */
import type { SqlScan } from '../../../language/strings/sql.js';
import { isKeyword, type Lexeme } from './words.js';

/** Word indexes. `open`: the opening parenthesis, or -1 for the statement; `select`: the SELECT, or -1 before the first. */
interface Scope {
  readonly open: number;
  readonly select: number;
}

const isQuery = (word: Lexeme | undefined): boolean => isKeyword(word, 'SELECT', 'WITH', 'VALUES');

/** Innermost first; the last is the statement itself. */
function listScopes(all: readonly Lexeme[], i: number): Scope[] {
  const scopes: Scope[] = [];
  let depth = all[i]?.depth ?? 0;
  let select = -1;
  for (let at = i; at >= 0; at--) {
    const word = all[at];
    if (word === undefined || word.depth > depth) continue;
    if (word.depth === depth && isKeyword(word, 'SELECT') && select < 0) select = at;
    if (word.type !== 'open' || word.depth !== depth - 1) continue;
    if (isQuery(all[at + 1])) {
      scopes.push({ open: at, select });
      select = -1;
    }
    depth -= 1;
  }
  return [...scopes, { open: -1, select }];
}

const isSame = (one: Scope | undefined, other: Scope): boolean =>
  one?.open === other.open && one.select === other.select;

/** The nearest scope comes first. */
export function listNearTables(scan: SqlScan, all: readonly Lexeme[], start: number): readonly (readonly string[])[] {
  const findWordAt = (place: number): number => all.findIndex((word) => word.start === place);
  const i = findWordAt(start);
  const homes = scan.tables.map((table) => ({ name: table.name, home: listScopes(all, findWordAt(table.start))[0] }));
  const scopes = listScopes(all, i);
  // `INSERT INTO t (id) SELECT $1 FROM u`: the value is one of `t`.
  const [first] = scopes;
  const isTop = scan.verb === 'INSERT' && first?.open === -1;
  if (isTop && scan.target !== null && first.select >= 0 && !hasFrom(all, first.select, i)) return [[scan.target.name]];
  return scopes.map((scope) => homes.filter(({ home }) => isSame(home, scope)).map(({ name }) => name));
}

const hasFrom = (all: readonly Lexeme[], from: number, to: number): boolean =>
  all.slice(from, to).some((word) => word.depth === all[from]?.depth && isKeyword(word, 'FROM'));
