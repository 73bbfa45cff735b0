/** Test cases of the resources of a table, for `lintel test`. Pure. */
import type { Json, JsonObject } from '../../../../contract/json.js';
import type { ModelColumn, ModelTable } from '../../../../contract/model.js';
import { quoteIfNeeded } from '../text/quotes.js';
import { findAccess, type Access, type AccessInput } from './access.js';
import { sortColumns } from './columns.js';
import { createResources, nameResource, type CrudInput } from './resources.js';
import { hasRule } from './statements.js';
import { createSampleRows, createSampleValue } from './samples.js';

interface TestInput extends CrudInput {
  /** All tables of the project. */
  readonly tables: readonly ModelTable[];
}

const pickColumns = (row: JsonObject, columns: readonly ModelColumn[]): JsonObject =>
  Object.fromEntries(columns.flatMap(({ name }) => (Object.hasOwn(row, name) ? [[name, row[name] ?? null]] : [])));

/** Two rows of the caller, and one of another if rows have an owner. */
export function createTests({ crud, base, guard, tables }: TestInput): JsonObject {
  const { table, keys, named, owner, given, changed, sorts, softDelete } = crud;
  const samples = createSampleRows(tables);
  const ownerColumn = table.columns.find(({ name }) => name === owner?.column);
  const referred = tables.find((one) => one.table === ownerColumn?.references?.table);
  const findOwnerKey = (n: number): Json => {
    if (ownerColumn === undefined) return null;
    const row = referred === undefined ? undefined : samples.add(referred, n);
    return row?.[ownerColumn.references?.column ?? ''] ?? createSampleValue(ownerColumn, n);
  };
  const [me, other] = [findOwnerKey(1), findOwnerKey(2)];
  const addRow = (n: number, by: Json): JsonObject =>
    samples.add(table, n, owner === null ? {} : { [owner.column]: by });
  const isOnlyKey = named.length === 0;
  const first = addRow(1, me);
  const second = isOnlyKey ? null : addRow(2, me);
  const foreign = owner === null ? null : addRow(3, other);
  const missing = Object.fromEntries(named.map((column) => [column.name, createSampleValue(column, 9)]));
  const fresh = createBody(given, 4);

  /** References lead to rows that exist. */
  function createBody(columns: readonly ModelColumn[], n: number): JsonObject {
    const needed = columns.filter(({ nullable, primaryKey }) => !nullable || primaryKey);
    return Object.fromEntries(
      needed.map((column) => {
        const target = tables.find((one) => one.table === column.references?.table);
        const row = target === undefined ? undefined : samples.add(target, target === table ? 1 : n);
        return [column.name, row?.[column.references?.column ?? ''] ?? createSampleValue(column, n)];
      }),
    );
  }

  const all: Json[] = [first, ...(second === null ? [] : [second]), ...(foreign === null ? [] : [foreign])];
  const createRequest = (work: string, body: JsonObject, more: JsonObject = {}): JsonObject => ({
    resource: nameResource(base, work),
    body,
    ...more,
  });
  const createStep = (work: string, body: JsonObject, expect: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
    request: createRequest(work, body, more),
    ...(Object.keys(expect).length > 0 && { expect }),
  });
  const createCursor = (row: JsonObject, columns: readonly ModelColumn[]): JsonObject =>
    Object.fromEntries(columns.map(({ name }) => [`after_${name}`, row[name] ?? null]));
  const key = pickColumns(first, named);
  // Fields without a rule are sent always.
  const always = changed.filter((column) => !hasRule(column));
  const unchanged = Object.fromEntries(always.map(({ name }) => [name, first[name] ?? null]));
  const isHidden = (row: JsonObject): JsonObject[] => [
    createStep('read', pickColumns(row, named), { status: 404 }),
    ...(changed.length === 0
      ? []
      : [createStep('update', { ...pickColumns(row, named), ...unchanged }, { status: 404 })]),
    createStep('delete', pickColumns(row, named), { status: 404 }),
  ];
  const cases: JsonObject[] = [
    {
      id: 'lists rows, in pages that continue behind the last row',
      steps: [
        createStep(
          'list',
          { limit: 100 },
          { body: [first, ...(second === null ? [] : [second])].map((row) => pickColumns(row, keys)) },
        ),
        createStep('list', { limit: 1 }, { body: [pickColumns(first, keys)] }),
        createStep(
          'list',
          { limit: 1, ...createCursor(first, keys) },
          { body: second === null ? [] : [pickColumns(second, keys)] },
        ),
      ],
      expect: { unchanged: true },
    },
    ...(sorts.length === 0 || second === null
      ? []
      : [
          {
            id: 'lists rows in the order that is asked for',
            steps: sorts.flatMap(({ name }) => {
              const [low, high] = sortRows(first, second, name, keys);
              const columns = [...keys, ...sorts.filter((one) => one.name === name)];
              return [
                createStep('list', { sort: name, limit: 1 }, { body: [pickColumns(low, keys)] }),
                createStep(
                  'list',
                  { sort: name, limit: 1, ...createCursor(low, columns) },
                  { body: [pickColumns(high, keys)] },
                ),
                createStep('list', { sort: `-${name}`, limit: 1 }, { body: [pickColumns(high, keys)] }),
                createStep(
                  'list',
                  { sort: `-${name}`, limit: 1, ...createCursor(high, columns) },
                  { body: [pickColumns(low, keys)] },
                ),
              ];
            }),
            expect: { unchanged: true },
          },
        ]),
    ...listFilterCases(),
    {
      id: 'reads a row',
      steps: [createStep('read', key, { body: pickColumns(first, crud.shown) })],
      expect: { unchanged: true },
    },
  ];

  function listFilterCases(): JsonObject[] {
    const steps = crud.filters.flatMap((column) => {
      const value = first[column.name];
      if (second === null || value === undefined || value === null || value === second[column.name]) return [];
      return [createStep('list', { [column.name]: value, limit: 100 }, { body: [pickColumns(first, keys)] })];
    });
    return steps.length === 0 ? [] : [{ id: 'lists the rows with a value', steps, expect: { unchanged: true } }];
  }

  if (!isOnlyKey) {
    cases.push({
      id: 'creates a row',
      steps: [createStep('create', fresh, { body: fresh })],
      expect: { tables: { [table.table]: [...all.map((row) => pickColumns(row as JsonObject, keys)), fresh] } },
    });
    cases.push({ id: 'finds no row that is not there', steps: isHidden(missing), expect: { unchanged: true } });
  }
  if (changed.length > 0) {
    const [column] = changed.filter(({ references, type }) => references === null && type !== 'json');
    const value = column === undefined ? {} : { [column.name]: createSampleValue(column, 6) };
    cases.push({
      id: 'changes what is sent, and nothing else',
      steps: [
        createStep(
          'update',
          { ...key, ...unchanged, ...value },
          { body: { ...pickColumns(first, crud.shown), ...value, ...freshStamps() } },
        ),
      ],
      expect: {
        tables: { [table.table]: all.map((row, at) => (at === 0 ? { ...first, ...value, ...freshStamps() } : row)) },
      },
    });
  }

  function freshStamps(): JsonObject {
    return crud.updatedAt ? { updated_at: NOW } : {};
  }

  cases.push({
    id: 'deletes a row',
    steps: [createStep('delete', key, { body: key }), createStep('read', key, { status: 404 })],
    ...(!softDelete && { expect: { tables: { [table.table]: all.slice(1) } } }),
  });
  if (foreign !== null && !isOnlyKey)
    cases.push({ id: 'finds no row of another caller', steps: isHidden(foreign), expect: { unchanged: true } });
  if (guard !== null)
    cases.push({
      id: 'rejects a caller without a token',
      steps: [
        createStep('list', { limit: 1 }, { status: 401 }, { as: false }),
        createStep('create', fresh, { status: 401 }, { as: false }),
        createStep('delete', key, { status: 401 }, { as: false }),
      ],
      expect: { unchanged: true },
    });
  const claims = Object.fromEntries(
    (guard?.claims ?? []).map((claim) => [claim, claim === owner?.claim ? me : `${claim} 1`]),
  );
  return {
    id: base,
    given: { now: NOW, tables: samples.toTables(), ...(guard !== null && { claims }) },
    cases,
  };
}

const NOW = '2026-06-01T12:00:00.000Z';

/** By the column, then by the keys. */
function sortRows(
  first: JsonObject,
  second: JsonObject,
  name: string,
  keys: readonly ModelColumn[],
): readonly [JsonObject, JsonObject] {
  const order = [name, ...keys.map((key) => key.name)];
  const different = order.find((one) => first[one] !== second[one]) ?? name;
  return (first[different] ?? 0) <= (second[different] ?? 0) ? [first, second] : [second, first];
}

export interface Crud {
  readonly access: Access;
  readonly resources: readonly JsonObject[];
  readonly createTests: () => JsonObject;
}

export interface TableInput extends AccessInput, Pick<CrudInput, 'base'> {
  /** Words that the database of the table reserves, in lower case. */
  readonly reserved: ReadonlySet<string>;
}

/** A message if the owner is not certain or not possible. */
export function createCrud(input: TableInput): Crud | string {
  const access = findAccess(input);
  if (typeof access === 'string') return access;
  const { table, tables, base, reserved } = input;
  const quote = (name: string): string => quoteIfNeeded(name, reserved);
  const made = { crud: sortColumns(table, access.owner), base, quote, guard: access.guard };
  return { access, resources: createResources(made), createTests: () => createTests({ ...made, tables }) };
}
