/** Documents of the collections of a store for the console. */
import { EJSON, ObjectId } from 'bson';
import { isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { ColumnType, ModelTable } from '../../../contract/model.js';
import { endChange, type RowSource, type RowWindow } from '../../../contract/row-source.js';
import type { Document, DocumentStore, DocumentTransaction } from '../kind.js';

const ID = '_id';
const HEX_ID = /^[0-9a-f]{24}$/i;

/** As JSON: a Date is its ISO text, an ObjectId its digits. An id of another type says which, so that it can be read back. */
function toJson(found: Document): JsonObject {
  const json = JSON.parse(JSON.stringify(found)) as JsonObject;
  const { [ID]: id } = found;
  const isTyped = isObject(id) && id['_bsontype'] !== 'ObjectId';
  return isTyped ? { ...json, [ID]: EJSON.serialize(id) } : json;
}

const toId = (value: string): unknown => (HEX_ID.test(value) ? new ObjectId(value) : value);

function listIds(value: Json): unknown[] {
  if (isObject(value)) return [EJSON.deserialize(value)];
  return typeof value === 'string' && HEX_ID.test(value) ? [value, toId(value)] : [value];
}

const findType = ({ columns }: ModelTable, column: string): ColumnType | null =>
  columns.find(({ name }) => name === column)?.type ?? (column === ID ? 'text' : null);

function toStored(value: unknown, type: ColumnType | null): unknown {
  return type === 'timestamp' && typeof value === 'string' ? new Date(value) : value;
}

function createCondition(table: ModelTable, column: string, value: string | number): Document {
  const type = findType(table, column);
  if (column === ID) {
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? [Number(value)] : [];
    return { [column]: { $in: [...listIds(value), ...number] } };
  }
  if (type === 'integer' || type === 'float') return { [column]: { $eq: Number(value) } };
  if (type === 'boolean') return { [column]: { $eq: String(value) === 'true' } };
  return { [column]: { $eq: toStored(String(value), type) } };
}

function createFilter(table: ModelTable, filter: RowWindow['filter']): Document {
  if (filter === null) return {};
  const { column, text, contains } = filter;
  if (!contains || column === ID || findType(table, column) !== 'text') return createCondition(table, column, text);
  return { [column]: { $regex: text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), $options: 'i' } };
}

export function createDocumentRows(store: DocumentStore): RowSource {
  async function runChange(
    model: ModelTable,
    { kind, key, values }: Parameters<RowSource['changeRows']>[1],
    inside: DocumentTransaction,
  ): Promise<number> {
    const { table } = model;
    const stored = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, toStored(value, findType(model, name))]),
    );
    if (kind === 'insert') {
      const { [ID]: id, ...fields } = stored;
      const given = id === undefined || id === null ? {} : { [ID]: typeof id === 'string' ? toId(id) : id };
      return (await store.insert(table, [{ ...given, ...fields }], inside)).length;
    }
    const found = await store.find(table, { [ID]: { $in: listIds(key[ID] ?? '') } }, { limit: 2 }, inside);
    if (found.length !== 1) return found.length;
    const filter = { [ID]: { $eq: found[0]?.[ID] } };
    const changed =
      kind === 'delete'
        ? await store.remove(table, filter, { one: true }, inside)
        : await store.update(table, filter, { $set: stored }, { one: true }, inside);
    return changed.length;
  }

  return {
    listKeys: () => [ID],
    findType,
    async read(table, { filter, sort, skip, limit }) {
      const order = {
        ...(sort !== null && { [sort.column]: sort.descending ? -1 : 1 }),
        ...(sort?.column !== ID && { [ID]: 1 }),
      };
      const found = await store.find(table.table, createFilter(table, filter), { sort: order, skip, limit }, null);
      return found.map(toJson);
    },
    count: (table, column, value) => store.count(table.table, createCondition(table, column, value), null),
    async findObstacle() {
      const transaction = await store.begin();
      if (transaction !== null) await store.rollback(transaction);
      return transaction === null
        ? 'The document store has no transactions, so no change can be tried and rolled back. A replica set of one server has them.'
        : null;
    },
    async changeRows(model, change, isKept) {
      const transaction = await store.begin();
      if (transaction === null) throw new Error('the store has no transactions');
      return endChange(store, transaction, isKept, () => runChange(model, change, transaction));
    },
  };
}
