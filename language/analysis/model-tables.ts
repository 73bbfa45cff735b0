/** Converts models to what stores use: neutral columns and table names. */
import { asText, isObject, type Json } from '../../contract/json.js';
import { BLIND, type HeldJson, type ModelColumn, type ModelTable } from '../../contract/model.js';
import { Slot } from '../../contract/slot.js';
import { mapModelsByAlias } from './tables.js';
import type { DataModel } from './model.js';
import type { Registry } from './registry.js';

/** By model name. Invalid models are skipped. */
export function compileTables(models: readonly DataModel[], registry: Registry): Map<string, ModelTable> {
  const sound = models.filter((model) => model.sound);
  const tableOf = new Map(sound.map((model) => [model.name, model.table]));
  const aliases = mapModelsByAlias([...tableOf.keys()]);
  const byAlias = new Map([...aliases].map(([alias, model]) => [alias, tableOf.get(model) ?? model]));
  return new Map(
    sound.map((model) => {
      const defined = model.fields.map(({ name, value }) =>
        toModelColumn(name, value, registry, byAlias, model.secrets),
      );
      const columns = [...defined.flatMap(addBlindIndex), ...model.added.map((name) => createTimestampColumn(name))];
      const indexes = new Map(
        defined.flatMap(({ name, blind }) => (blind === undefined ? [] : [[name, blind] as const])),
      );
      // Statements with errors may require columns that do not exist.
      const uniques = model.uniques
        .filter((names) => names.every((name) => columns.some((one) => one.name === name)))
        .map((names) => names.map((name) => indexes.get(name) ?? name));
      const { name, table: called, stores } = model;
      const secrets = model.secrets.size > 0 ? { secrets: model.secrets } : {};
      const table = { model: name, table: called, stores, columns: Object.freeze(columns), uniques, ...secrets };
      return [model.name, Object.freeze(table)];
    }),
  );
}

/** The blind index takes over uniqueness and lookups. */
function addBlindIndex(column: ModelColumn): ModelColumn[] {
  const { name, blind, nullable, unique } = column;
  if (blind === undefined) return [column];
  const index = {
    ...createTimestampColumn(blind),
    type: 'text' as const,
    nullable,
    unique,
    index: true,
    secret: true,
    blindOf: name,
  };
  return [
    Object.freeze({ ...column, unique: false, index: false }),
    Object.freeze({ ...index, maxLength: INDEX_LENGTH }),
  ];
}
const INDEX_LENGTH = 71;

/** Statements use it although the model does not define it. */
const createTimestampColumn = (name: string): ModelColumn =>
  Object.freeze({
    name,
    type: 'timestamp',
    nullable: true,
    primaryKey: false,
    autoIncrement: false,
    unique: false,
    index: false,
    search: false,
    maxLength: null,
    references: null,
    secret: false,
  });

function toModelColumn(
  name: string,
  value: Readonly<Record<string, Json>>,
  registry: Registry,
  tables: ReadonlyMap<string, string>,
  secrets: ReadonlySet<string>,
): ModelColumn {
  const kind = registry.listKinds(Slot.MODEL_FIELD)[0];
  const spec = kind && registry.plugin(kind.kind, asText(value['type']));
  const holds = toHeldJson(spec?.facts?.holds, value, (inner, called) =>
    toModelColumn(called, inner, registry, tables, secrets),
  );
  const reference = value['foreign_key'];
  const of = isObject(reference) ? asText(reference['of']) : null;
  return Object.freeze({
    name,
    type: spec?.facts?.column ?? 'text',
    nullable: value['optional'] === true,
    primaryKey: value['primary_key'] === true,
    autoIncrement: value['auto_increment'] === true,
    unique: value['unique'] === true,
    index: value['indexable'] === true,
    search: value['fts'] === true,
    maxLength: typeof value['max_length'] === 'number' ? value['max_length'] : null,
    references:
      of === null || !isObject(reference)
        ? null
        : { table: tables.get(of.toLowerCase()) ?? of, column: asText(reference['key']) },
    secret: value['secret'] === true || secrets.has(name),
    ...(value['blind_index'] === true && { blind: `${name}${BLIND}` }),
    ...(holds && { holds }),
  });
}

function toHeldJson(
  form: unknown,
  value: Readonly<Record<string, Json>>,
  columnOf: (value: Readonly<Record<string, Json>>, name: string) => ModelColumn,
): HeldJson | null {
  const { properties, property_type: type } = value;
  if (form === 'array') return { form, items: typeof type === 'string' ? columnOf({ type }, '') : null };
  if (form !== 'object') return null;
  const fields = isObject(properties) ? Object.entries(properties) : [];
  return { form, fields: fields.flatMap(([name, field]) => (isObject(field) ? [columnOf(field, name)] : [])) };
}
