/**
 * PostgreSQL's own parser for the front end, which may not load anything itself. Loaded once, when the first statement is
 * to be judged; texts go in as their authors wrote them and never come back as text.
 */
import { setFlagsFromString } from 'node:v8';
import { isObject } from '../contract/json.js';
import type { SqlParsed, SqlParser } from '../language/sql-parser.js';

let loading: Promise<SqlParser> | undefined;

export const loadSqlParser = (): Promise<SqlParser> => (loading ??= load());

const NOTHING: SqlParsed = { statements: [], fault: null };

async function load(): Promise<SqlParser> {
  const { loadModule, parseSync, hasSqlDetails } = await import('libpg-query');
  await withoutOptimizing(loadModule);
  return {
    parse(text) {
      // The parser reads up to a NUL and would judge half a text.
      if (text.trim() === '' || text.includes('\u0000')) return NOTHING;
      try {
        const { stmts } = parseSync(text) as { readonly stmts?: readonly unknown[] };
        return { statements: (stmts ?? []).filter(isObject), fault: null };
      } catch (error) {
        // Anything but a complaint about the text (a stack that is too small) judges nothing.
        if (!hasSqlDetails(error) || error.sqlDetails === undefined) return NOTHING;
        return { statements: null, fault: { message: error.sqlDetails.message, at: unitAt(text, error.sqlDetails) } };
      }
    },
  };
}

/**
 * A parser runs for a few milliseconds, but the engine would begin to optimise its largest function for hundreds of them,
 * and a process that ends waits for that. The budget is a module's own from its making on; the setting is put back.
 */
async function withoutOptimizing(make: () => Promise<void>): Promise<void> {
  const usual = Number(process.versions.v8.split('.')[0]) < 12 ? 1_800_000 : 13_000_000;
  setFlagsFromString('--wasm-tiering-budget=1000000000');
  try {
    await make();
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${usual}`);
  }
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
