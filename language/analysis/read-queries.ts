/** Checks the statements of a definition against the models; cached by what they read. */
import type { Catalogue } from '../../contract/statement-text.js';
import type { StatementParser } from '../../contract/query-language.js';
import { checkStatements, type CheckedStatements } from './checks/statements.js';
import type { Queries, QueryResults } from './link-group.js';
import type { Definition } from './model.js';
import { findResultFields } from './query-changes.js';
import type { Registry } from './registry.js';
import type { Report } from './report.js';
import { recordCatalogue } from './catalogue.js';
import { isEqualData, type Blocks, type Lookups, type StageCache } from './stage-cache.js';
import type { Stores } from './stores.js';

interface QueriesRun {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
  readonly sql: StatementParser | undefined;
}

interface QueriesInput {
  readonly catalogue: Catalogue;
  readonly stores: Stores;
  /** The text may end in the middle. */
  readonly isHalf: (definition: Definition) => boolean;
  /** False where no definition is. */
  readonly hasHalves: boolean;
}

const STAGE = 'queries';

export function readQueries(
  { registry, memory, report, sql }: QueriesRun,
  blocks: Blocks<Definition>,
  { catalogue, stores, isHalf, hasHalves }: QueriesInput,
): QueryResults {
  const computeQueries = (definition: Definition, lookups: Lookups<Catalogue>, own: Report): Queries => {
    const tables = recordCatalogue(lookups);
    const results: CheckedStatements = { answers: new Map(), columnUses: new Map(), names: new Map() };
    if (!isHalf(definition))
      checkStatements({ registry, report: own, catalogue: tables, sql, stores }, definition, results);
    for (const query of definition.finds.documents)
      results.answers.set(query.node, findResultFields(definition, query, registry));
    return results;
  };
  const lists = memory.getOrLookUpAll(blocks, report, {
    name: STAGE,
    reads: [sql],
    readsOf: (definition) => [isHalf(definition), stores.listPlacedQueries(definition)],
    readsOfBlock: (at) => [hasHalves ? blocks[at]?.map(isHalf) : null, stores.placed[at]],
    source: catalogue,
    compute: computeQueries,
    reuse: (earlier, now) => (isEqualData(earlier, now) ? earlier : now),
  });
  return { get: (definition) => memory.findOutcome(STAGE, definition) as Queries | undefined, lists };
}
