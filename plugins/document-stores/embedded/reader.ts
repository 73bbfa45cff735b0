/** In batches and insertion order, one batch in memory. */
import type { Row, Transaction } from '../../dialects/kind.js';
import type { Document } from '../kind.js';
import { decode, toIdKey } from './codec.js';
import { compileTest, type Test } from './engine.js';
import type { CollectionMetadata } from './rules.js';
import { listSearchedFields, extractSearch, type Search } from './search.js';
import { BATCH_ROWS, type CollectionTables } from './tables.js';
import { ANY_TERM, createNarrowing, type Narrow } from './index-terms.js';

export interface StoredDocument {
  readonly seq: number;
  readonly document: Document;
}

export interface FilterPlan {
  readonly narrow: Narrow;
  readonly search: Search | null;
  readonly test: Test;
  /** Without what the database has fully evaluated. */
  readonly rest: Document;
}

export interface CollectionReader {
  /** Null: the collection does not exist. */
  planQuery(collection: string, filter: Document, inside: Transaction | null): Promise<FilterPlan | null>;
  /** Reads until `visit` returns false. Throws MoreToRead outside a transaction if one statement does not suffice. */
  visitMatches(
    collection: string,
    query: FilterPlan,
    inside: Transaction | null,
    visit: (one: StoredDocument) => boolean,
  ): Promise<void>;
  readAll(collection: string, filter: Document, inside: Transaction | null): Promise<readonly Document[]>;
  count(collection: string, filter: Document, inside: Transaction | null): Promise<number>;
  lock(collection: string, keys: readonly string[], inside: Transaction): Promise<readonly Document[]>;
}

const toStoredDocument = ({ seq, doc }: Row): StoredDocument => ({
  seq: Number(seq),
  document: decode(doc) as Document,
});

/** A second statement outside a transaction would read a later state. */
export class SnapshotRequiredError extends Error {}

/** Filters are validated even if the collection is empty. */
function createPlan(filter: Document, { indexes }: CollectionMetadata): FilterPlan {
  const { search, rest } = extractSearch(filter, listSearchedFields(indexes));
  return { narrow: createNarrowing(rest), search, test: compileTest(rest), rest };
}

export function createCollectionReader(tables: CollectionTables): CollectionReader {
  async function planQuery(
    collection: string,
    filter: Document,
    inside: Transaction | null,
  ): Promise<FilterPlan | null> {
    const known = await tables.readMetadata(collection, inside);
    if (known !== null) return createPlan(filter, known);
    compileTest(extractSearch(filter, ['']).rest);
    return null;
  }

  async function visitMatches(
    collection: string,
    { narrow, search, test }: FilterPlan,
    inside: Transaction | null,
    visit: (one: StoredDocument) => boolean,
  ): Promise<void> {
    const { read } = tables.texts(collection);
    const lists = narrow.map((list) => [...list, ANY_TERM]);
    const more = search?.conditions(lists.length + 2) ?? [];
    const values = [...lists, ...(search?.values ?? [])];
    let early = values.length > 0;
    for (let from = 0; ;) {
      const rows = await tables.execute(read(lists.length, more, early), [from, ...values], inside);
      for (const row of rows) {
        const one = toStoredDocument(row);
        from = one.seq;
        if (test(one.document) && !visit(one)) return;
      }
      if (rows.length < BATCH_ROWS) return;
      if (inside === null) throw new SnapshotRequiredError();
      // For many documents, cheaper than the index of terms.
      early = false;
    }
  }

  return {
    planQuery,
    visitMatches,
    async readAll(collection, filter, inside) {
      const found: Document[] = [];
      const query = await planQuery(collection, filter, inside);
      if (query !== null) await visitMatches(collection, query, inside, ({ document }) => found.push(document) > 0);
      return found;
    },
    async count(collection, filter, inside) {
      const query = await planQuery(collection, filter, inside);
      if (query === null) return 0;
      if (Object.keys(filter).length > 0) {
        let count = 0;
        await visitMatches(collection, query, inside, () => ++count > 0);
        return count;
      }
      const [row] = await tables.execute(tables.texts(collection).count, [], inside);
      return Number(row?.['n'] ?? 0);
    },
    async lock(collection, keys, inside) {
      const found: Document[] = [];
      const byKey = new Map<string, Document>();
      for (let from = 0; from < keys.length; from += BATCH_ROWS) {
        const rows = await tables.execute(tables.texts(collection).lock, [keys.slice(from, from + BATCH_ROWS)], inside);
        for (const row of rows) {
          const { document } = toStoredDocument(row);
          byKey.set(toIdKey(document['_id']), document);
        }
      }
      for (const key of keys) {
        const document = byKey.get(key);
        if (document !== undefined) found.push(document);
      }
      return found;
    },
  };
}
