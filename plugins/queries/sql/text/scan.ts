/**
 * Scans SQL by PostgreSQL's lexical rules. Accepts any text.
 */
import type { StatementText } from '../../../../contract/statement-text.js';
import { readPlaceholders, readQuotedPlaceholders } from './placeholders.js';
import { readStatement, toLexemes } from './read.js';
import { tokenizeSql } from './tokens.js';

/** If there are several statements, `verb` and `returning` belong to the first. */
export function scanSql(text: string): StatementText {
  const { tokens, faults } = tokenizeSql(text);
  const words = toLexemes(text, tokens);
  const statement = readStatement(words);
  // A slice has no spare capacity; an editor holds thousands of scans.
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
