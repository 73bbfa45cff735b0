/** Reports database errors for statements. A finding with the same cause is raised to certain instead of reported twice. */
import type { StatementRejection } from '../../../contract/trial.js';
import type { SqlText } from '../finds.js';
import type { Definition } from '../model.js';
import { inside, type Report, type Spot } from '../report.js';
import { placesOf } from '../sql/places.js';

export type Refusals = ReadonlyMap<SqlText, StatementRejection>;

/** Codes of static checks for the same cause. */
const KNOWN: Readonly<Record<StatementRejection['about'], readonly string[]>> = {
  column: ['SQL_COLUMN', 'SQL_CASE', 'SQL_ALIAS'],
  table: ['SQL_ALIAS'],
  untyped: ['SQL_UNTYPED'],
  function: ['SQL_FUNCTION'],
  other: [],
};

export function reportRefusals(report: Report, definitions: readonly Definition[], refusals: Refusals): void {
  for (const definition of definitions) {
    for (const statement of definition.finds.statements) {
      const refusal = refusals.get(statement);
      if (refusal !== undefined) reportRefusal(report, definition, statement, refusal);
    }
  }
}

function reportRefusal(report: Report, { doc }: Definition, statement: SqlText, refusal: StatementRejection): void {
  const { about, what, advice, near } = refusal;
  const known = report.rows.filter(
    ({ code, spot }) => KNOWN[about].includes(code) && spot.doc === doc && inside(spot, statement.node),
  );
  if (known.length > 0) {
    report.raise(known);
    return;
  }
  const fix = near === null ? {} : { fix: { title: `change to ${near}`, text: near } };
  report.add('SQL_REFUSED', placeOf(doc, statement, refusal), { what, advice: advice && ` ${advice}` }, fix);
}

function placeOf(doc: Definition['doc'], statement: SqlText, { at, n }: StatementRejection): Spot {
  const value = n === null ? undefined : statement.parameters[n - 1];
  const { start, end } = value ?? statement.node;
  return value !== undefined || at === null ? { doc, start, end } : placesOf(doc, statement).token(at);
}
