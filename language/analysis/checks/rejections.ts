/** Reports database errors for statements. A finding with the same cause is raised to certain instead. */
import type { QueryRejection, StatementRejection } from '../../../contract/statement-check.js';
import { locateInString } from '../../source/escapes.js';
import type { LocatedNode } from '../../source/tree.js';
import type { DocumentQuery, SqlText } from '../facts.js';
import type { Definition } from '../model.js';
import { isInside, type Report, type SourceLocation } from '../report.js';

export type StatementRejections = ReadonlyMap<SqlText, StatementRejection>;
export type QueryRejections = ReadonlyMap<DocumentQuery, QueryRejection>;

/** Codes of static checks for the same cause. */
const KNOWN: Readonly<Record<StatementRejection['about'], readonly string[]>> = {
  column: ['SQL_COLUMN', 'SQL_CASE', 'SQL_ALIAS'],
  table: ['SQL_ALIAS'],
  untyped: ['SQL_UNTYPED'],
  function: ['SQL_FUNCTION'],
  other: [],
};

export function reportRejections(
  report: Report,
  definitions: readonly Definition[],
  refusals: StatementRejections,
): void {
  if (refusals.size === 0) return;
  for (const definition of definitions) {
    for (const statement of definition.finds.statements) {
      const refusal = refusals.get(statement);
      if (refusal !== undefined) reportRejection(report, definition, statement, refusal);
    }
  }
}

export function reportQueryRejections(
  report: Report,
  definitions: readonly Definition[],
  rejections: QueryRejections,
): void {
  for (const { doc, finds } of definitions) {
    for (const query of finds.documents) {
      const rejection = rejections.get(query);
      if (rejection === undefined) continue;
      const { what, name } = rejection;
      const { start, end } = (name === null ? null : findKey(query.around, name)) ?? query.node;
      report.add('DOC_REJECTED', { doc, start, end }, { what });
    }
  }
}

/** The first in the order of the text. */
function findKey({ items, members }: LocatedNode, name: string): { start: number; end: number } | null {
  for (const item of items) {
    const found = findKey(item, name);
    if (found !== null) return found;
  }
  for (const { key, keyStart, keyEnd, value } of members) {
    if (key === name) return { start: keyStart, end: keyEnd };
    const found = value === null ? null : findKey(value, name);
    if (found !== null) return found;
  }
  return null;
}

/** A function, a type, a collation: one script adds it for every statement. */
const ABSENT = /\bdoes not exist\b/;

function reportRejection(report: Report, { doc }: Definition, statement: SqlText, refusal: StatementRejection): void {
  const { about, what, advice, near } = refusal;
  const known = report.rows.filter(
    ({ code, spot }) => KNOWN[about].includes(code) && spot.doc === doc && isInside(spot, statement.node),
  );
  if (known.length > 0) {
    report.raiseToErrors(known);
    return;
  }
  const fix = near === null ? {} : { fix: { title: `change to ${near}`, text: near } };
  const cause = ABSENT.test(what) ? { cause: `SQL_REFUSED ${what}` } : {};
  const params = { what, advice: advice && ` ${advice}` };
  report.add('SQL_REFUSED', locateRejection(doc, statement, refusal), params, { ...fix, ...cause });
}

function locateRejection(doc: Definition['doc'], statement: SqlText, { at, n }: StatementRejection): SourceLocation {
  const value = n === null ? undefined : statement.parameters[n - 1];
  const { node, language, scan } = statement;
  const { start, end } = value ?? node;
  if (value !== undefined || at === null) return { doc, start, end };
  return locateInString(doc, node, language.locateToken(scan, at));
}
