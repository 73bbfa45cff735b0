/**
 * Scans SQL by PostgreSQL's lexical rules, so that placeholders inside strings, comments and quoted names do not
 * count. Accepts any text.
 */
import { readPlaceholders, readQuotedPlaceholders, type SqlPlaceholder } from './placeholders.js';
import { readStatement, toLexemes, type SqlTable } from './read.js';
import { tokenizeSql, type SqlToken, type SqlFault } from './tokens.js';

export interface SqlScan {
  readonly text: string;
  readonly tokens: readonly SqlToken[];
  /** The verb of the main statement, after a WITH list; `''` for empty text. */
  readonly verb: string;
  readonly placeholders: readonly SqlPlaceholder[];
  /** Inside strings they are probably mistakes. */
  readonly quotedPlaceholders: readonly SqlTable[];
  /** Without names of WITH entries. */
  readonly tables: readonly SqlTable[];
  /** The table that the main statement writes. */
  readonly target: SqlTable | null;
  /** Empty statements are not counted. */
  readonly statements: number;
  readonly returning: boolean;
  readonly faults: readonly SqlFault[];
}

/** If there are several statements, `verb` and `returning` belong to the first. */
export function scanSql(text: string): SqlScan {
  const { tokens, faults } = tokenizeSql(text);
  const words = toLexemes(text, tokens);
  const statement = readStatement(words);
  // Slices, because a list that was pushed to has room to grow, and an editor holds thousands of scans.
  return Object.freeze({
    text,
    tokens: tokens.slice(),
    ...statement,
    tables: statement.tables.slice(),
    placeholders: readPlaceholders(text, words).slice(),
    quotedPlaceholders: readQuotedPlaceholders(text, tokens).slice(),
    faults,
  });
}
