/** Lists the keywords that can stand at a caret in incomplete SQL, in the order of the grammar. */
import {
  COMPARISON,
  createClauseScope,
  getClause,
  isClause,
  SETS,
  type Clause,
  type ClauseScope,
} from '../text/clauses.js';
import { isName, type Lexeme } from '../text/read.js';
import { isAggregate } from './signatures.js';
import { isSqlWord } from '../text/words.js';

const splitList = (text: string): readonly string[] => text.split(', ');

type Verb = 'select' | 'update' | 'delete';

/** The clauses of each statement, in their order; clauses of one place have the same rank. */
const ORDERS: Readonly<Record<Verb, Readonly<Partial<Record<Clause, number>>>>> = {
  select: {
    select: 0,
    from: 1,
    join: 1,
    on: 1,
    using: 1,
    where: 2,
    group: 3,
    having: 4,
    order: 6,
    limit: 7,
    offset: 8,
    for: 9,
  },
  update: { update: 0, set: 1, from: 2, join: 2, on: 2, where: 3, returning: 4 },
  delete: { delete: 0, from: 0, using: 1, join: 1, on: 1, where: 2, returning: 3 },
};

const JOINS = splitList('JOIN, LEFT JOIN, INNER JOIN, CROSS JOIN');
/** What begins the places of `ORDERS`, by rank. */
const BEGINNINGS: Readonly<Record<Verb, readonly (readonly string[])[]>> = {
  select: [
    [],
    ['FROM'],
    ['WHERE'],
    ['GROUP BY'],
    ['HAVING'],
    splitList('UNION ALL, UNION'),
    ['ORDER BY'],
    ['LIMIT'],
    ['OFFSET'],
    ['FOR UPDATE'],
  ],
  update: [[], ['SET'], ['FROM'], ['WHERE'], ['RETURNING']],
  delete: [[], ['USING'], ['WHERE'], ['RETURNING']],
};

/** Words that can only be followed by these. */
const PAIRS: Readonly<Record<string, readonly string[]>> = {
  INSERT: ['INTO'],
  DELETE: ['FROM'],
  GROUP: ['BY'],
  ORDER: ['BY'],
  PARTITION: ['BY'],
  LEFT: splitList('JOIN, OUTER JOIN'),
  RIGHT: splitList('JOIN, OUTER JOIN'),
  FULL: splitList('JOIN, OUTER JOIN'),
  INNER: ['JOIN'],
  CROSS: ['JOIN'],
  OUTER: ['JOIN'],
  NATURAL: splitList('JOIN, LEFT JOIN'),
  NULLS: splitList('FIRST, LAST'),
  FOR: splitList('UPDATE, SHARE, NO KEY UPDATE, KEY SHARE'),
  CONFLICT: ['DO NOTHING'],
  DO: splitList('NOTHING, UPDATE SET'),
  UNION: splitList('ALL, SELECT'),
  INTERSECT: ['SELECT'],
  EXCEPT: ['SELECT'],
  WITH: ['RECURSIVE'],
  IS: splitList('NULL, NOT NULL, TRUE, FALSE, DISTINCT FROM, NOT DISTINCT FROM'),
};

const AFTER_OPERAND = splitList('IS NULL, IS NOT NULL, IN, NOT IN, LIKE, ILIKE, BETWEEN');
const BOTH = splitList('AND, OR');
const COMPARING = new Set('IS IN LIKE ILIKE SIMILAR EXISTS ISNULL NOTNULL'.split(' '));
const STATEMENTS = splitList('SELECT, INSERT INTO, UPDATE, DELETE FROM');

/** The keywords after a complete expression, a name or another keyword. */
export function listFollowingWords(words: readonly Lexeme[], i: number): readonly string[] {
  const scope = createClauseScope(words, i);
  const last = words[i - 1];
  const text = last?.type === 'word' ? last.text : '';
  if (last === undefined || last.type === 'semicolon') return [...STATEMENTS, 'WITH'];
  const inCase = listInCase(scope);
  if (/^ALL$/.test(text) && SETS.has(words[i - 2]?.text ?? '')) return ['SELECT'];
  if (text === 'NOT')
    return words[i - 2]?.text === 'IS' ? splitList('NULL, TRUE, FALSE') : splitList('IN, LIKE, ILIKE, BETWEEN');
  if (text === 'UPDATE' && words[i - 2]?.text === 'DO') return ['SET'];
  if (text === 'ON' && getClause(scope, scope.before.at(-2)) === 'values') return ['CONFLICT'];
  if (Object.hasOwn(PAIRS, text) && last.type === 'word' && words[i - 2]?.type !== 'dot') return PAIRS[text] ?? [];
  if (text === 'AS') return [];
  if (inCase !== null) return inCase;
  if (!scope.isQuery) return listInGroup(scope);
  return listClauses(scope);
}

function listInCase(scope: ClauseScope): readonly string[] | null {
  const { words, i, holder } = scope;
  const depth = words[i]?.depth ?? 0;
  let open = 0;
  for (let at = i - 1; at > holder; at--) {
    const { text = '', depth: here } = words[at] ?? {};
    if (here !== depth || words[at]?.type !== 'word') continue;
    if (text === 'END') open++;
    else if (text === 'CASE' && open-- === 0) return ['WHEN'];
    else if (open > 0) continue;
    else if (text === 'WHEN') return isCaseAbove(scope, at) ? [...listCondition(scope, at), 'THEN'] : null;
    else if (text === 'THEN') return isCaseAbove(scope, at) ? splitList('WHEN, ELSE, END') : null;
    else if (text === 'ELSE') return isCaseAbove(scope, at) ? ['END'] : null;
    else if (isClause(words, at)) return null;
  }
  return null;
}

const isCaseAbove = ({ words, holder }: ClauseScope, at: number): boolean =>
  words.slice(holder + 1, at).some(({ text, depth }) => text === 'CASE' && depth === words[at]?.depth);

/** What may follow an operand of a condition that begins behind `head`. */
function listCondition({ words, i }: ClauseScope, head: number): readonly string[] {
  const depth = words[i]?.depth ?? 0;
  const inside = words.slice(head + 1, i).filter((word) => word.depth === depth);
  let isCompared = false;
  let isBetween = false;
  for (const { type, text } of inside) {
    if (type === 'operator') isCompared ||= COMPARISON.test(text);
    if (type !== 'word') continue;
    // The AND of BETWEEN ends no condition.
    if (text === 'AND' && isBetween) [isBetween, isCompared] = [false, true];
    else if (text === 'AND' || text === 'OR') isCompared = false;
    else if (text === 'BETWEEN') isBetween = true;
    else if (COMPARING.has(text)) isCompared = true;
  }
  if (isBetween) return ['AND'];
  return isCompared ? BOTH : [...AFTER_OPERAND, ...BOTH];
}

const SORTING = splitList('ASC, DESC, NULLS FIRST, NULLS LAST');

function listSorting({ words, i }: ClauseScope): readonly string[] {
  const { text = '' } = words[i - 1] ?? {};
  if (words[i - 2]?.text === 'NULLS') return [];
  return text === 'ASC' || text === 'DESC' ? SORTING.slice(2) : SORTING;
}

/** Inside parentheses that hold no query. */
function listInGroup(scope: ClauseScope): readonly string[] {
  const { words, holder, before, i } = scope;
  const called = words[holder - 1];
  const last = getClause(scope, before.at(-1));
  if (last === 'order') return listSorting(scope);
  if (last === 'partition') return ['ORDER BY'];
  if (last === 'where') return listCondition(scope, before.at(-1) ?? holder);
  if (called?.text === 'CAST') return ['AS'];
  if (called?.text === 'EXTRACT' || called?.text === 'TRIM' || called?.text === 'SUBSTRING') return ['FROM'];
  if (called?.text === 'OVER') return splitList('PARTITION BY, ORDER BY');
  const isCall = isName(called) && !isSqlWord(called.text);
  if (isCall) return isAggregate(called.text.toLowerCase()) ? ['ORDER BY'] : [];
  const isList = ['VALUES', 'IN', 'INTO', 'CONFLICT'].includes(called?.text ?? '');
  return isList || words[i - 1]?.type === 'comma' ? [] : listCondition(scope, holder);
}

function listClauses(scope: ClauseScope): readonly string[] {
  const { words, i, before, behind } = scope;
  const clauses = before.map((at) => getClause(scope, at));
  const here = clauses.at(-1) ?? null;
  if (here === null) return [...STATEMENTS, 'WITH'];
  if (here === 'with') return words[i - 1]?.type === 'close' ? STATEMENTS : ['AS'];
  const first = clauses.find((clause) => clause !== 'with');
  const isInsert = first === 'insert';
  // The query of an INSERT has the clauses of a SELECT, and those of the INSERT behind it.
  const isRead = !clauses.includes('conflict') && !clauses.includes('returning') && clauses.includes('select');
  if (isInsert && !isRead) return listOfInsert(scope, here);
  const verb = first === 'update' || first === 'delete' ? first : 'select';
  const order = ORDERS[verb];
  const rank = order[here] ?? 0;
  const next = Math.min(...behind.map((at) => order[getClause(scope, at) ?? 'select'] ?? Infinity));
  const own = listOwnWords(scope, here);
  if (here === 'join' && isJoinOpen(scope)) return own;
  if (here === 'update') return next > 1 ? [...own, 'SET'] : own;
  const isJoinable = order.join === rank && here !== 'set' && next >= rank;
  const last = isInsert && next === Infinity ? listOfInsert(scope, 'values') : [];
  const later = BEGINNINGS[verb].flatMap((list, at) => (at > rank && at < next ? list : []));
  if (here === 'select' && next > 1)
    return ['FROM', ...own, ...later.filter((word) => SETS.has(word.split(' ')[0] ?? '')), ...last];
  const possible = later.filter((word) => word !== 'HAVING' || here === 'group');
  return [...own, ...(isJoinable ? JOINS : []), ...possible, ...last];
}

function listOfInsert(scope: ClauseScope, here: Clause): readonly string[] {
  const isBehind = (clause: Clause): boolean => scope.behind.some((at) => getClause(scope, at) === clause);
  const returning = isBehind('returning') ? [] : ['RETURNING'];
  switch (here) {
    case 'insert':
      return isBehind('values') || isBehind('select') ? [] : splitList('VALUES, SELECT, DEFAULT VALUES');
    case 'values':
      return [...(isBehind('conflict') ? [] : ['ON CONFLICT']), ...returning];
    case 'conflict':
      return splitList('DO NOTHING, DO UPDATE SET');
    case 'set':
      return isBehind('where') ? [] : ['WHERE', ...returning];
    default:
      return [...listOwnWords(scope, here), ...(here === 'returning' ? [] : returning)];
  }
}

/** Words that belong to the clause itself. */
function listOwnWords(scope: ClauseScope, here: Clause): readonly string[] {
  const { words, i, before } = scope;
  const head = before.at(-1) ?? i;
  const [last, second] = [words[i - 1], words[i - 2]];
  const isNamed = second?.text === 'AS';
  switch (here) {
    case 'select':
    case 'returning': {
      const open = last?.type === 'close' ? findCall(words, i - 1) : null;
      return [...(isNamed ? [] : ['AS']), ...(open !== null && isAggregate(open) ? ['OVER', 'FILTER'] : [])];
    }
    case 'where':
    case 'on':
    case 'having':
      return listCondition(scope, head);
    case 'order':
      return listSorting(scope);
    case 'from':
    case 'update':
    case 'delete':
      return isNamed ||
        (isName(second) && second.depth === last?.depth && !isSqlWord(second.text) && !isClause(words, i - 2))
        ? []
        : ['AS'];
    case 'join':
      return isJoinOpen(scope) ? splitList('ON, USING, AS') : [];
    case 'for':
      return last?.text === 'UPDATE' || last?.text === 'SHARE' ? splitList('SKIP LOCKED, NOWAIT, OF') : [];
    default:
      return [];
  }
}

/** A JOIN without its condition. CROSS and NATURAL joins have none. */
function isJoinOpen({ words, before }: ClauseScope): boolean {
  const at = before.at(-1) ?? 0;
  return ![words[at - 1], words[at - 2]].some((word) => /^(?:CROSS|NATURAL)$/.test(word?.text ?? ''));
}

/** The name before the parentheses that end at `i`. */
function findCall(words: readonly Lexeme[], i: number): string | null {
  const depth = words[i]?.depth ?? 0;
  let at = i - 1;
  while (at > 0 && !(words[at]?.type === 'open' && words[at]?.depth === depth)) at--;
  const word = words[at - 1];
  return isName(word) ? word.text.toLowerCase() : null;
}

const PREDICATE_BEFORE = new Set('WHERE AND OR ON HAVING WHEN NOT'.split(' '));
const LITERALS = ['NULL', 'TRUE', 'FALSE'];

/** The keywords with which an expression can begin. */
export function listValueWords(words: readonly Lexeme[], i: number, isRow: boolean): readonly string[] {
  const scope = createClauseScope(words, i);
  const last = words[i - 1];
  const { text = '' } = last ?? {};
  const here = getClause(scope, scope.before.at(-1));
  if (last?.type === 'open') {
    const called = words[i - 2];
    if (called?.text === 'EXISTS') return ['SELECT'];
    if (called?.text === 'OVER') return ['PARTITION BY', 'ORDER BY'];
    if (called?.text === 'FILTER') return ['WHERE'];
    if (/^(?:IN|ANY|ALL|SOME|FROM|JOIN|LATERAL|AS|MATERIALIZED)$/.test(called?.text ?? '')) return ['SELECT'];
    if (isRow) return ['DEFAULT', ...LITERALS, 'CASE'];
    if (isName(called) && !isSqlWord(called.text))
      return [...(isAggregate(called.text.toLowerCase()) ? ['DISTINCT'] : []), 'CASE', ...LITERALS];
    return called?.type === 'operator' ? ['SELECT', 'CASE'] : ['SELECT', 'NOT', 'EXISTS', 'CASE'];
  }
  if (isRow) return text === 'LIMIT' || text === 'OFFSET' ? [] : ['DEFAULT', ...LITERALS, 'CASE'];
  if (text === 'CASE') return ['WHEN'];
  if (last?.type === 'word' && PREDICATE_BEFORE.has(text)) return ['NOT', 'EXISTS', 'CASE', 'TRUE', 'FALSE'];
  if (text === 'SELECT') return ['DISTINCT', 'CASE', ...LITERALS, 'NOT', 'EXISTS'];
  if (here === 'set' && text === '=') return ['DEFAULT', ...LITERALS, 'CASE'];
  if (here === 'order' || here === 'group' || here === 'partition') return ['CASE'];
  if (last?.type === 'operator') return COMPARISON.test(text) ? 'ANY ALL TRUE FALSE CASE'.split(' ') : ['CASE'];
  return ['CASE', ...LITERALS];
}
