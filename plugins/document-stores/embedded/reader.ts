/** Reads matching documents in batches, in insertion order. Holds one batch in memory. */
import type { Row, Transaction } from '../../dialects/kind.js';
import type { Document } from '../kind.js';
import { decode, idKey } from './codec.js';
import { testOf, type Test } from './engine.js';
import type { Known } from './rules.js';
import { searchedIn, searchOf, type Search } from './search.js';
import { BATCH, type Tables } from './tables.js';
import { EVERY, narrowOf, type Narrow } from './terms.js';

export interface Found {
  readonly seq: number;
  readonly document: Document;
}

export interface Query {
  readonly narrow: Narrow;
  readonly search: Search | null;
  readonly test: Test;
  /** Without what the database has fully evaluated. */
  readonly rest: Document;
}

export interface Reader {
  /** Null: the collection does not exist. */
  queryOf(collection: string, filter: Document, inside: Transaction | null): Promise<Query | null>;
  /** Reads until `visit` returns false. Throws MoreToRead outside a transaction if one statement does not return everything. */
  each(collection: string, query: Query, inside: Transaction | null, visit: (one: Found) => boolean): Promise<void>;
  all(collection: string, filter: Document, inside: Transaction | null): Promise<readonly Document[]>;
  count(collection: string, filter: Document, inside: Transaction | null): Promise<number>;
  lock(collection: string, keys: readonly string[], inside: Transaction): Promise<readonly Document[]>;
}

const foundOf = ({ seq, doc }: Row): Found => ({ seq: Number(seq), document: decode(doc) as Document });

/** A second statement outside a transaction would read a later state. */
export class MoreToRead extends Error {}

/** Filters are validated even if the collection is empty. */
function queryFrom(filter: Document, { indexes }: Known): Query {
  const { search, rest } = searchOf(filter, searchedIn(indexes));
  return { narrow: narrowOf(rest), search, test: testOf(rest), rest };
}

export function createReader(tables: Tables): Reader {
  async function queryOf(collection: string, filter: Document, inside: Transaction | null): Promise<Query | null> {
    const known = await tables.known(collection, inside);
    if (known !== null) return queryFrom(filter, known);
    testOf(searchOf(filter, ['']).rest);
    return null;
  }

  async function each(
    collection: string,
    { narrow, search, test }: Query,
    inside: Transaction | null,
    visit: (one: Found) => boolean,
  ): Promise<void> {
    const { read } = tables.texts(collection);
    const lists = narrow.map((list) => [...list, EVERY]);
    const more = search?.conditions(lists.length + 2) ?? [];
    const values = [...lists, ...(search?.values ?? [])];
    let early = values.length > 0;
    for (let from = 0; ;) {
      const rows = await tables.execute(read(lists.length, more, early), [from, ...values], inside);
      for (const row of rows) {
        const one = foundOf(row);
        from = one.seq;
        if (test(one.document) && !visit(one)) return;
      }
      if (rows.length < BATCH) return;
      if (inside === null) throw new MoreToRead();
      // For many documents, insertion order is cheaper than the index of terms.
      early = false;
    }
  }

  return {
    queryOf,
    each,
    async all(collection, filter, inside) {
      const found: Document[] = [];
      const query = await queryOf(collection, filter, inside);
      if (query !== null) await each(collection, query, inside, ({ document }) => found.push(document) > 0);
      return found;
    },
    async count(collection, filter, inside) {
      const query = await queryOf(collection, filter, inside);
      if (query === null) return 0;
      if (Object.keys(filter).length > 0) {
        let count = 0;
        await each(collection, query, inside, () => ++count > 0);
        return count;
      }
      const [row] = await tables.execute(tables.texts(collection).count, [], inside);
      return Number(row?.['n'] ?? 0);
    },
    async lock(collection, keys, inside) {
      const found: Document[] = [];
      const byKey = new Map<string, Document>();
      for (let from = 0; from < keys.length; from += BATCH) {
        const rows = await tables.execute(tables.texts(collection).lock, [keys.slice(from, from + BATCH)], inside);
        for (const row of rows) {
          const { document } = foundOf(row);
          byKey.set(idKey(document['_id']), document);
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
