/** Documents that `lintel test` inserts, reads and changes, as JSON. */
import type { JsonObject } from '../../../contract/json.js';
import type { ModelTable } from '../../../contract/model.js';
import type { TestStore } from '../../../contract/tests.js';
import type { Document, DocumentStore } from '../kind.js';

function toStored({ columns }: ModelTable, row: JsonObject): Document {
  const times = new Set(columns.flatMap(({ name, type }) => (type === 'timestamp' ? [name] : [])));
  const toStoredValue = ([name, value]: [string, unknown]): [string, unknown] => [
    name,
    times.has(name) && typeof value === 'string' ? new Date(value) : value,
  ];
  return Object.fromEntries(Object.entries(row).map(toStoredValue));
}

export const createTestRows = (
  store: Pick<DocumentStore, 'insert' | 'find' | 'update' | 'remove'>,
): Required<Pick<TestStore, 'insertRows' | 'readRows' | 'changeRows'>> => ({
  async insertRows(model, rows) {
    const documents = rows.map((row) => toStored(model, row));
    await store.insert(model.table, documents, null);
  },
  // A Date becomes its ISO text, and an ObjectId its digits.
  readRows: async ({ table }) =>
    (await store.find(table, {}, {}, null)).map((found) => JSON.parse(JSON.stringify(found)) as JsonObject),
  async changeRows(model, rows, values) {
    const chosen = new Set(rows.map((row) => JSON.stringify(row)));
    for (const found of await store.find(model.table, {}, {}, null)) {
      if (!chosen.has(JSON.stringify(found))) continue;
      const filter = { _id: { $eq: found['_id'] } };
      if (values === null) await store.remove(model.table, filter, { one: true }, null);
      else await store.update(model.table, filter, { $set: toStored(model, values) }, { one: true }, null);
    }
  },
});
