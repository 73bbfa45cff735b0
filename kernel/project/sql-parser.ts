/** Loads PostgreSQL's parser for the front end, which may not load modules itself. Loaded once, for the first statement. */
import { isObject } from '../contract/json.js';
import { holdTieringBudget, withoutOptimizing } from '../platform/wasm-tiering.js';
import type { SqlParsed, SqlParser } from '../language/sql-parser.js';

/** The `syntax` fact of stores whose statements this parser reads. */
export const SYNTAX = 'postgresql';

let loading: Promise<SqlParser> | undefined;

export const loadSqlParser = (): Promise<SqlParser> => (loading ??= load());

const NOTHING: SqlParsed = { statements: [], fault: null };

async function load(): Promise<SqlParser> {
  const { loadModule, parseSync, hasSqlDetails } = await import('libpg-query');
  // The parser runs for milliseconds, but optimizing its largest function would take hundreds of milliseconds and megabytes.
  const release = holdTieringBudget(Infinity);
  try {
    await loadModule();
  } finally {
    release();
  }
  return {
    syntax: SYNTAX,
    parse(text) {
      // The parser stops at a NUL character, so it would check only part of the text.
      if (text.trim() === '' || text.includes('\u0000')) return NOTHING;
      try {
        const { stmts } = withoutOptimizing(() => parseSync(text)) as { readonly stmts?: readonly unknown[] };
        return { statements: (stmts ?? []).filter(isObject), fault: null };
      } catch (error) {
        // Other errors (such as a stack overflow) are no evidence that the text is invalid.
        if (!hasSqlDetails(error) || error.sqlDetails === undefined) return NOTHING;
        return { statements: null, fault: { message: error.sqlDetails.message, at: unitAt(text, error.sqlDetails) } };
      }
    },
  };
}

/** Converts the parser's offset in characters to UTF-16 code units. */
function unitAt(text: string, { cursorPosition }: { readonly cursorPosition: number }): number {
  let at = 0;
  let left = Math.max(0, cursorPosition);
  for (const character of text) {
    if (left-- === 0) break;
    at += character.length;
  }
  return at;
}
