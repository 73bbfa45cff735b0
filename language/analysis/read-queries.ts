/** Checks the statements of a definition against the models; cached by what they read. */
import type { Catalogue } from '../../contract/statement-text.js';
import type { StatementParser } from '../../contract/query-language.js';
import { checkStatements, type CheckedStatements } from './checks/statements.js';
import type { Queries, QueryResults } from './link-group.js';
import type { Definition } from './model.js';
import { createLazy } from './memoize.js';
import { findResultFields } from './query-changes.js';
import type { Registry } from './registry.js';
import { createReport, type Report } from './report.js';
import { recordCatalogue } from './catalogue.js';
import { isEqualData, type Blocks, type Lookups, type StageCache } from './stage-cache.js';
import type { Steps } from './steps.js';
import type { Stores } from './stores.js';

interface QueriesRun {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
  readonly sql: StatementParser | undefined;
  readonly verified?: object | undefined;
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

export function* readQueries(
  { registry, memory, report, sql, verified }: QueriesRun,
  blocks: Blocks<Definition>,
  { catalogue, stores, isHalf, hasHalves }: QueriesInput,
): Steps<QueryResults> {
  const computeQueries = (definition: Definition, tables: Catalogue, own: Report): Queries => {
    const results: CheckedStatements = { answers: new Map(), columnUses: new Map(), names: new Map() };
    if (!isHalf(definition))
      checkStatements({ registry, report: own, catalogue: tables, sql, stores }, definition, results);
    for (const query of definition.finds.documents)
      results.answers.set(query.node, findResultFields(definition, query, registry));
    return results;
  };
  const lists = yield* memory.getOrLookUpAll(blocks, report, {
    name: STAGE,
    // Without checks, the catalogue is read when the results are.
    reads: [sql, verified === undefined ? null : catalogue],
    readsOf: (definition) => [isHalf(definition), stores.listPlacedQueries(definition)],
    readsOfBlock: (at) => [hasHalves ? blocks[at]?.map(isHalf) : null, stores.placed[at]],
    source: catalogue,
    compute: (definition, lookups: Lookups<Catalogue>, own): Queries =>
      verified === undefined
        ? computeQueries(definition, recordCatalogue(lookups), own)
        : new LateQueries(() => computeQueries(definition, catalogue, createReport(registry.codes))),
    reuse: (earlier, now) => (isEqualData(earlier, now) ? earlier : now),
  });
  return { get: (definition) => memory.findOutcome(STAGE, definition) as Queries | undefined, lists };
}

class LateQueries implements Queries {
  readonly #read: () => Queries;
  constructor(read: () => Queries) {
    this.#read = createLazy(read);
  }
  get answers() {
    return this.#read().answers;
  }
  get columnUses() {
    return this.#read().columnUses;
  }
  get names() {
    return this.#read().names;
  }
}
