/** In batches, in insertion order or by `_id`. */
import type { Row, Transaction } from '../../dialects/kind.js';
import type { Document } from '../kind.js';
import { decode, toIdKey } from './codec.js';
import { compileTest, type Test } from './engine.js';
import { ALL_IDS, findIdRange, formatIdCondition, formatOrderedRead, hasPlace, type IdRange } from './id-order.js';
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
  readonly range: IdRange | null;
  /** Most candidates will match. */
  readonly isNarrow: boolean;
  readonly test: Test;
  /** Without what the database has fully evaluated. */
  readonly rest: Document;
}

export interface IdOrder {
  readonly descending: boolean;
  readonly most: number;
}

export interface CollectionReader {
  /** Null: the collection does not exist. */
  planQuery(collection: string, filter: Document, inside: Transaction | null): Promise<FilterPlan | null>;
  /** Reads until `visit` returns false. Throws outside a transaction if one statement does not suffice. */
  visitMatches(
    collection: string,
    query: FilterPlan,
    most: number,
    inside: Transaction | null,
    visit: (one: StoredDocument) => boolean,
  ): Promise<void>;
  /** Includes the first `most` matches by `_id`. Null: too many have no place in its order. */
  readInOrder(
    collection: string,
    query: FilterPlan,
    order: IdOrder,
    inside: Transaction | null,
  ): Promise<StoredDocument[] | null>;
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
  const narrow = createNarrowing(rest);
  const range = findIdRange(rest);
  const isNarrow = Object.keys(rest).length <= narrow.length + (range === null ? 0 : 1);
  return { narrow, search, range, isNarrow, test: compileTest(rest), rest };
}

/** Few sizes: each is another statement. Ranges include their bounds. */
const chooseSize = ({ isNarrow }: FilterPlan, most: number): number =>
  isNarrow ? Math.min(BATCH_ROWS, 2 ** Math.ceil(Math.log2(most + 2))) : BATCH_ROWS;

/** On terms and words; parameters are numbered from `first`. */
function listConditions({ narrow, search }: FilterPlan, first: number) {
  const terms = narrow.map((_, i) => `terms && $${first + i}::text[]`);
  return {
    conditions: [...terms, ...(search?.conditions(first + terms.length) ?? [])],
    values: [...narrow.map((list) => [...list, ANY_TERM]), ...(search?.values ?? [])] as readonly unknown[],
  };
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
    query: FilterPlan,
    most: number,
    inside: Transaction | null,
    visit: (one: StoredDocument) => boolean,
  ): Promise<void> {
    const { read } = tables.texts(collection);
    const { range, test } = query;
    const { conditions, values } = listConditions(query, 2);
    const byRange = values.length === 0 && range !== null;
    let size = chooseSize(query, most);
    let text = read(byRange ? [formatIdCondition(['$2', '$3'])] : conditions, byRange || values.length > 0, size);
    let more = byRange ? [range.from, range.to] : values;
    for (let from = 0; ;) {
      const rows = await tables.execute(text, [from, ...more], inside);
      for (const row of rows) {
        const one = toStoredDocument(row);
        from = one.seq;
        if (test(one.document) && !visit(one)) return;
      }
      if (rows.length < size) return;
      if (inside === null) throw new SnapshotRequiredError();
      size = BATCH_ROWS;
      // For many documents, cheaper than another index.
      text = read(conditions, false, size);
      more = values;
    }
  }

  async function readInOrder(
    collection: string,
    query: FilterPlan,
    { descending, most }: IdOrder,
    inside: Transaction | null,
  ): Promise<StoredDocument[] | null> {
    const { table } = tables.texts(collection);
    const { conditions, values } = listConditions(query, 1);
    const names = [`$${values.length + 1}`, `$${values.length + 2}`] as const;
    const found: StoredDocument[] = [];
    let { range } = query;
    let size = chooseSize(query, most);
    let missing = most;
    for (let last = ''; ;) {
      const isFirst = last === '';
      const others = conditions.length > 0 ? size : BATCH_ROWS + 1;
      const read = { descending, conditions, range: range === null ? null : names, isFirst, others, size };
      const bounds = range === null ? [] : [range.from, range.to];
      const rows = await tables.execute(formatOrderedRead(table, read), [...values, ...bounds], inside);
      const placed = rows.filter(hasPlace);
      const unplaced = rows.filter((row) => !hasPlace(row)).map(toStoredDocument);
      if (unplaced.length === others) return null;
      found.push(...unplaced.filter(({ document }) => query.test(document)));
      for (const row of placed) {
        // A batch repeats the last one.
        if (row['id'] === last) continue;
        const one = toStoredDocument(row);
        if (!query.test(one.document)) continue;
        found.push(one);
        if (--missing === 0) return found;
      }
      if ((conditions.length > 0 ? rows : placed).length < size) return found;
      if (inside === null) throw new SnapshotRequiredError();
      last = String(placed.at(-1)?.['id']);
      range = { ...(range ?? ALL_IDS), [descending ? 'to' : 'from']: last };
      size = BATCH_ROWS;
    }
  }

  return {
    planQuery,
    visitMatches,
    readInOrder,
    async readAll(collection, filter, inside) {
      const found: Document[] = [];
      const query = await planQuery(collection, filter, inside);
      if (query !== null)
        await visitMatches(collection, query, Infinity, inside, ({ document }) => found.push(document) > 0);
      return found;
    },
    async count(collection, filter, inside) {
      const query = await planQuery(collection, filter, inside);
      if (query === null) return 0;
      if (Object.keys(filter).length > 0) {
        let count = 0;
        await visitMatches(collection, query, Infinity, inside, () => ++count > 0);
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
