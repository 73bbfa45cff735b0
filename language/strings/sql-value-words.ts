/** Lists the keywords with which an expression can begin at a caret in incomplete SQL. */
import { COMPARISON, createClauseScope, getClause } from './sql-clauses.js';
import { isName, type Lexeme } from './sql-read.js';
import { isAggregate } from './sql-signatures.js';
import { isSqlWord } from './sql-words.js';

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
  if (last?.type === 'operator') return COMPARISON.test(text) ? ['ANY', 'ALL', 'TRUE', 'FALSE', 'CASE'] : ['CASE'];
  return ['CASE', ...LITERALS];
}
