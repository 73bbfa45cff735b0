/** Pipelines: the database evaluates the first `$match`, the library the rest. */
import { createFault } from '../../../contract/fault.js';
import type { Transaction } from '../../dialects/kind.js';
import type { Document } from '../kind.js';
import { runPipeline } from './engine.js';
import { SnapshotRequiredError, type CollectionReader } from './reader.js';

const WRITING: ReadonlySet<string> = new Set(['$out', '$merge']);

const isFields = (value: unknown): value is Document => typeof value === 'object' && value !== null;

/** At any depth. */
function collectCollections(pipeline: readonly Document[], names: Set<string>): void {
  for (const stage of pipeline) {
    for (const [operator, value] of Object.entries(stage)) {
      if (WRITING.has(operator))
        throw createFault('QRY_FAILED', {}, { cause: new Error(`a pipeline does not write: ${operator}`) });
      if (operator === '$unionWith' && typeof value === 'string') names.add(value);
      if (!isFields(value)) continue;
      if (/^\$(?:lookup|graphLookup|unionWith)$/.test(operator)) {
        const name = value['from'] ?? value['coll'];
        if (typeof name === 'string') names.add(name);
        if (Array.isArray(value['pipeline'])) collectCollections(value['pipeline'] as readonly Document[], names);
      }
      if (operator === '$facet') {
        for (const inner of Object.values(value))
          if (Array.isArray(inner)) collectCollections(inner as readonly Document[], names);
      }
    }
  }
}

/** Of documents that the database found by the first `$match`. */
export const runAggregateOn = (
  pipeline: readonly Document[],
  documents: readonly Document[],
  collection: (name: string) => readonly Document[],
): readonly Document[] => {
  collectCollections(pipeline, new Set());
  return pipeline.length === 0 ? documents : runPipeline(documents, pipeline, collection);
};

export async function runAggregate(
  reader: CollectionReader,
  collection: string,
  pipeline: readonly Document[],
  inside: Transaction | null,
): Promise<readonly Document[]> {
  const names = new Set<string>();
  collectCollections(pipeline, names);
  if (names.size > 0 && inside === null) throw new SnapshotRequiredError();
  const first = pipeline[0]?.['$match'];
  const filter = isFields(first) ? first : {};
  const documents = await reader.readAll(collection, filter, inside);
  const others = new Map<string, readonly Document[]>();
  for (const name of names) others.set(name, await reader.readAll(name, {}, inside));
  const rest = isFields(first) ? pipeline.slice(1) : pipeline;
  return rest.length === 0 ? documents : runPipeline(documents, rest, (name) => others.get(name) ?? []);
}
