/** Documents that `lintel test` inserts and reads, as JSON. */
import type { JsonObject } from '../../../contract/json.js';
import type { TestStore } from '../../../contract/tests.js';
import type { DocumentStore } from '../kind.js';

export const createTestRows = (
  store: Pick<DocumentStore, 'insert' | 'find'>,
): Required<Pick<TestStore, 'insertRows' | 'readRows'>> => ({
  async insertRows({ table, columns }, rows) {
    const times = new Set(columns.flatMap(({ name, type }) => (type === 'timestamp' ? [name] : [])));
    const toStored = ([name, value]: [string, unknown]): [string, unknown] => [
      name,
      times.has(name) && typeof value === 'string' ? new Date(value) : value,
    ];
    await store.insert(
      table,
      rows.map((row) => Object.fromEntries(Object.entries(row).map(toStored))),
      null,
    );
  },
  // A Date becomes its ISO text, and an ObjectId its digits.
  readRows: async ({ table }) =>
    (await store.find(table, {}, {}, null)).map((found) => JSON.parse(JSON.stringify(found)) as JsonObject),
});
