/** Decides whether a value of the request can be what a statement divides by. */
import { toLexemes } from '../../../language/strings/sql-read.js';
import type { SqlScan } from '../../../language/strings/sql.js';

/** True where a placeholder stands in a divisor, or is the second argument of a function that divides. */
export function isDividedByPlaceholder({ text, tokens }: Pick<SqlScan, 'text' | 'tokens'>): boolean {
  const all = toLexemes(text, tokens);
  return all.some((word, i) => {
    const isOperator = word.type === 'operator' && (word.text === '/' || word.text === '%');
    const isCall = word.type === 'word' && /^(?:MOD|DIV)$/.test(word.text);
    return (isOperator || isCall) && readOperand(all, i + 1).some(({ type }) => type === 'placeholder');
  });
}

/** A value, a call, or what is in parentheses. */
function readOperand(all: ReturnType<typeof toLexemes>, from: number): ReturnType<typeof toLexemes> {
  const open = all.findIndex(({ type }, i) => i >= from && type !== 'word' && type !== 'dot');
  const first = all[open];
  if (first?.type !== 'open') return all.slice(from, from + 1);
  const close = all.findIndex(({ type, depth }, i) => i > open && type === 'close' && depth === first.depth);
  // What is not closed is no statement.
  return all.slice(from, close);
}
