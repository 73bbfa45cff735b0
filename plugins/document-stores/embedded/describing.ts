/** An embedded store that runs its calls on no documents: the query language rejects what it cannot run at all. */
import { Fault } from '../../../contract/fault.js';
import { DescribedRejection, type Document, type DocumentStore } from '../kind.js';
import { runAggregateOn } from './aggregate.js';
import { copyPlain } from './codec.js';
import { compileTest, projectDocuments, updateDocuments, withPlainErrors } from './engine.js';
import { extractSearch } from './search.js';
import { createOrder } from './sort-order.js';
import { omitInsertOperators } from './upsert.js';

/** Faults are about values, which only a request has. */
async function describeCall(work: () => void): Promise<readonly Document[]> {
  try {
    withPlainErrors(work);
    return await Promise.resolve([]);
  } catch (error) {
    if (error instanceof Fault || !(error instanceof Error)) throw error;
    throw new DescribedRejection(error.message);
  }
}

function compileFilter(given: Document): Document {
  const { rest } = extractSearch(copyPlain(given), ['']);
  compileTest(rest);
  return rest;
}

export function createDescribingStore(store: DocumentStore): DocumentStore {
  return {
    ...store,
    insert: () => Promise.resolve([]),
    find: (_collection, filter, { sort, projection }) =>
      describeCall(() => {
        const rest = compileFilter(filter);
        if (sort !== undefined) createOrder(sort);
        if (projection !== undefined) projectDocuments([], rest, projection);
      }),
    update: (_collection, filter, update, { arrayFilters = [] }) =>
      describeCall(
        () => void updateDocuments([], compileFilter(filter), omitInsertOperators(copyPlain(update)), arrayFilters),
      ),
    remove: (_collection, filter) => describeCall(() => void compileFilter(filter)),
    count: async (_collection, filter) => (await describeCall(() => void compileFilter(filter))).length,
    aggregate: (_collection, pipeline) => describeCall(() => void runAggregateOn(copyPlain(pipeline), [], () => [])),
  };
}
