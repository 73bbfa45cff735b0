/** SQL as a query language. */
import type { QueryLanguage } from '../../../contract/query-language.js';
import { checkStatement } from './analysis/check-statement.js';
import { describeRows } from './analysis/describe-rows.js';
import { createSqlLocator } from './analysis/locator.js';
import { analyseAccess } from './text/access.js';
import { rewriteBlind } from './text/blind.js';
import { hasUnknownReach, isComputation, listCalls, mayWrite } from './text/calls.js';
import { listMetColumns } from './text/canonical.js';
import { findUnboundedChanges } from './text/effects.js';
import { readMentions } from './text/mentions.js';
import { readSqlObjects } from './text/objects.js';
import { getLexemeName, isName, toLexemes } from './text/read.js';
import { quoteReserved } from './text/reserved.js';
import { createRevealer } from './text/reveal.js';
import { rewriteSql } from './text/rewrite.js';
import { scanSql } from './text/scan.js';
import { listWrittenParts } from './text/written.js';

export const sql: QueryLanguage = Object.freeze<QueryLanguage>({
  name: 'sql',
  read: scanSql,
  check: checkStatement,
  describeAccess: analyseAccess,
  describeRows,
  createRevealer: ({ text, tokens }) => createRevealer(toLexemes(text, tokens), text),
  readObjects: readSqlObjects,
  listNames: ({ text, tokens }) =>
    toLexemes(text, tokens).flatMap((word) =>
      isName(word) ? [{ name: getLexemeName(word), start: word.start, end: word.end }] : [],
    ),
  listMentions: readMentions,
  listWrittenParts,
  listStamped: (scan, modifiers) => rewriteSql(scan, modifiers).columns,
  listMetColumns,
  findBlindUses: rewriteBlind,
  findUnboundedChanges,
  findCondition: ({ text, tokens }) =>
    tokens.find(({ start, end }) => text.slice(start, end).toUpperCase() === 'WHERE')?.start ?? null,
  isCast: ({ text }, n) => new RegExp(`\\$${n}\\s*::|\\(\\s*\\$${n}\\s+as\\b`, 'i').test(text),
  hasUnknownCalls: (scan) => listCalls(toLexemes(scan.text, scan.tokens), scan).some(hasUnknownReach),
  isReadOnly: (scan) => !mayWrite(scan.text) && isComputation(scan),
  locateNames(scan, names) {
    const places = createSqlLocator(scan, quoteReserved(scan));
    return names.map(({ at, name }) => places.name(at, name));
  },
  locateToken: (scan, offset) => createSqlLocator(scan).token(offset),
});
