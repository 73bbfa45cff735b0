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

/** The engine's own setting, by its major version, as `node --v8-options` prints it. */
export const TIERING_BUDGETS: Readonly<Record<string, number>> = { 11: 1_800_000, 13: 13_000_000 };
const FLAG = '--wasm-tiering-budget';

/**
 * A parser runs for a few milliseconds, but the engine would spend hundreds on optimising its largest function, and tens of
 * megabytes. A module keeps the budget that it is made with; the setting of the process is put back at once. Where the
 * usual value is not known, or somebody has chosen one, nothing is touched.
 */
async function withoutOptimizing(make: () => Promise<void>): Promise<void> {
  const usual = TIERING_BUDGETS[process.versions.v8.split('.')[0] ?? ''];
  const words = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/)];
  const isChosen = words.some((word) => word.replaceAll('_', '-').startsWith(FLAG));
  if (usual === undefined || isChosen) return make();
  setFlagsFromString(`${FLAG}=1000000000`);
  try {
    await make();
  } finally {
    setFlagsFromString(`${FLAG}=${usual}`);
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
