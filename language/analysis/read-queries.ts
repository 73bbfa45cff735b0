/** Checks the statements of a definition against the models; cached by the tables and fields that they read. */
import type { SqlParser } from '../strings/sql-parser.js';
import type { LocatedNode } from '../source/tree.js';
import { checkStatements, type ResultColumns } from './checks/statements.js';
import type { ColumnUsesByStatement } from './checks/types.js';
import type { SqlText } from './facts.js';
import type { Queries } from './link-group.js';
import type { Definition } from './model.js';
import { findResultFields } from './query-changes.js';
import type { Registry } from './registry.js';
import type { Report } from './report.js';
import { recordCatalogue, type Catalogue } from './sql/catalogue.js';
import type { ColumnUse } from './sql/column-uses.js';
import type { StatementNames } from './sql/names.js';
import { isEqualData, type Lookups, type StageCache } from './stage-cache.js';
import type { Stores } from './stores.js';

interface QueriesRun {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
  readonly sql: SqlParser | undefined;
}

export function readQueries(
  { registry, memory, report, sql }: QueriesRun,
  definition: Definition,
  { catalogue, stores, half }: { readonly catalogue: Catalogue; readonly stores: Stores; readonly half: boolean },
): Queries {
  const { documents } = definition.finds;
  const computeQueries = (lookups: Lookups<Catalogue>, own: Report): Queries => {
    const tables = recordCatalogue(lookups);
    const answers: ResultColumns = new Map();
    const meetings: ColumnUsesByStatement = new Map();
    const names = new Map<LocatedNode, StatementNames>();
    const collectUses = (statement: SqlText): ColumnUse[] => {
      const list: ColumnUse[] = [];
      meetings.set(statement, list);
      return list;
    };
    if (!half)
      checkStatements(
        { registry, report: own, catalogue: tables, sql, stores, uses: collectUses, names },
        definition,
        answers,
      );
    for (const query of documents) answers.set(query.node, findResultFields(definition, query, registry));
    return { answers, meetings, names };
  };
  return memory.getOrLookUp(definition, report, {
    name: 'queries',
    reads: [sql, half, stores.listPlacedQueries(definition)],
    source: catalogue,
    compute: computeQueries,
    reuse: (earlier, now) => (isEqualData(earlier, now) ? earlier : now),
  });
}
