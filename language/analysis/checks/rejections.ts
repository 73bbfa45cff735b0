/** Reports database errors for statements. A finding with the same cause is raised to certain instead of reported twice. */
import type { StatementRejection } from '../../../contract/statement-check.js';
import type { SqlText } from '../facts.js';
import type { Definition } from '../model.js';
import { isInside, type Report, type SourceLocation } from '../report.js';
import { createSqlLocator } from '../sql/locator.js';

export type StatementRejections = ReadonlyMap<SqlText, StatementRejection>;

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
  for (const definition of definitions) {
    for (const statement of definition.finds.statements) {
      const refusal = refusals.get(statement);
      if (refusal !== undefined) reportRejection(report, definition, statement, refusal);
    }
  }
}

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
  report.add('SQL_REFUSED', locateRefusal(doc, statement, refusal), { what, advice: advice && ` ${advice}` }, fix);
}

function locateRefusal(doc: Definition['doc'], statement: SqlText, { at, n }: StatementRejection): SourceLocation {
  const value = n === null ? undefined : statement.parameters[n - 1];
  const { start, end } = value ?? statement.node;
  return value !== undefined || at === null ? { doc, start, end } : createSqlLocator(doc, statement).token(at);
}
