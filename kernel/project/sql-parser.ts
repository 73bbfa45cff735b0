/**
 * PostgreSQL's own parser for the front end, which may not load anything itself. Loaded once, when the first statement is
 * to be judged; texts go in as their authors wrote them and never come back as text.
 */
import { isObject } from '../contract/json.js';
import { holdTieringBudget, withoutOptimizing } from '../platform/wasm-tiering.js';
import type { SqlParsed, SqlParser } from '../language/sql-parser.js';

/** What stores that this parser can read for say of themselves. */
export const SYNTAX = 'postgresql';

let loading: Promise<SqlParser> | undefined;

export const loadSqlParser = (): Promise<SqlParser> => (loading ??= load());

const NOTHING: SqlParsed = { statements: [], fault: null };

async function load(): Promise<SqlParser> {
  const { loadModule, parseSync, hasSqlDetails } = await import('libpg-query');
  // It runs for a few milliseconds, but the engine would spend hundreds on optimising its largest function, and hundreds of megabytes.
  const release = holdTieringBudget(Infinity);
  try {
    await loadModule();
  } finally {
    release();
  }
  return {
    syntax: SYNTAX,
    parse(text) {
      // The parser reads up to a NUL and would judge half a text.
      if (text.trim() === '' || text.includes('\u0000')) return NOTHING;
      try {
        const { stmts } = withoutOptimizing(() => parseSync(text)) as { readonly stmts?: readonly unknown[] };
        return { statements: (stmts ?? []).filter(isObject), fault: null };
      } catch (error) {
        // Anything but a complaint about the text (a stack that is too small) judges nothing.
        if (!hasSqlDetails(error) || error.sqlDetails === undefined) return NOTHING;
        return { statements: null, fault: { message: error.sqlDetails.message, at: unitAt(text, error.sqlDetails) } };
      }
    },
  };
}

/** The parser counts characters, the front end UTF-16 code units. */
function unitAt(text: string, { cursorPosition }: { readonly cursorPosition: number }): number {
  let at = 0;
  let left = Math.max(0, cursorPosition);
  for (const character of text) {
    if (left-- === 0) break;
    at += character.length;
  }
  return at;
}
