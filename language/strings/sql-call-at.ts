/** Finds the function call around a caret in incomplete SQL. */
import { replaceBackquotes } from './sql-quotes.js';
import { getLexemeName, isName, toLexemes } from './sql-read.js';
import { findSignature, type SqlSignature } from './sql-signatures.js';
import { tokenizeSql } from './sql-tokens.js';
import { isSqlWord } from './sql-words.js';

export interface SqlCallAt {
  readonly signature: SqlSignature;
  /** Number of the argument, from 0. */
  readonly argument: number;
}

/** Null outside of calls, and in those of unknown functions. */
export function findCallAt(source: string, offset: number): SqlCallAt | null {
  const text = replaceBackquotes(source).slice(0, offset);
  const words = toLexemes(text, tokenizeSql(text).tokens);
  let depth = 0;
  let argument = 0;
  for (let at = words.length - 1; at >= 0; at--) {
    const word = words[at];
    if (word?.type === 'close') depth++;
    else if (word?.type === 'open' && depth > 0) depth--;
    else if (depth > 0) continue;
    else if (word?.type === 'comma') argument++;
    else if (word?.type === 'semicolon' || (word?.type === 'word' && word.text === 'SELECT')) return null;
    else if (word?.type === 'open') {
      const called = words[at - 1];
      const name = isName(called) && word.text === '(' ? getLexemeName(called) : null;
      const signature = name === null ? undefined : findSignature(name);
      if (signature !== undefined) return { signature, argument };
      if (name !== null && !isSqlWord(name)) return null;
      // Parentheses around an expression: the call is further out.
      argument = 0;
    }
  }
  return null;
}
