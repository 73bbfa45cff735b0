/** Lookups for describing an interface, computed lazily. */
import type { DescribedTable, RowsToDescribe, StatementParser } from '../../../contract/query-language.js';
import type { ApiPart, ApiPlace, ApiStatement, JsonSchema } from '../../../contract/api.js';
import { asText, type Json } from '../../../contract/json.js';
import { pluginId } from '../../../contract/plugin.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import { Slot } from '../../../contract/slot.js';
import type { Config } from '../../analysis/config.js';
import { isInside } from '../../analysis/report.js';
import type { Analysis } from '../../analysis/analysis.js';
import type { ActionModel, DataModel, ResourceModel } from '../../analysis/model.js';
import type { Registry } from '../../analysis/registry.js';
import { mapModelsByAlias } from '../../analysis/tables.js';
import type { SqlText } from '../../analysis/facts.js';
import type { StatementDescription } from '../../../contract/statement-check.js';
import { ANY, toNullable } from '../../../contract/forms.js';
import type { ColumnType } from '../../../contract/model.js';
import { createValueSchema } from '../../analysis/written-values.js';

/** Of columns, as serialized in responses. */
const COLUMNS: Readonly<Record<ColumnType, JsonSchema>> = {
  integer: { type: 'integer' },
  float: { type: 'number' },
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'string', format: 'date-time' },
  json: ANY,
};

const getColumnSchema = (type: ColumnType | ''): JsonSchema => (type === '' ? ANY : COLUMNS[type]);

export interface OpenapiInput {
  readonly analysis: Analysis;
  readonly registry: Registry;
  readonly config: Config;
  readonly info: { readonly title: string; readonly version: string };
  /** Without a parser, rows of statements are not described. */
  readonly sql?: StatementParser | undefined;
  /** By a database; null where none has described it. */
  readonly describe?: (statement: SqlText) => StatementDescription | null;
  /** A valid payload by resource id. */
  readonly samples?: ReadonlyMap<string, Json>;
}

export interface Scope {
  readonly input: OpenapiInput;
  readonly registry: Registry;
  /** By key, across all resources. */
  readonly actions: ReadonlyMap<string, ActionModel>;
  readonly models: ReadonlyMap<string, DataModel>;
  /** By id. */
  readonly resources: ReadonlyMap<string, ResourceModel>;
  statement(action: ActionModel): ApiStatement | null;
  /** Plugins that the config selects, with their options. */
  readonly chosen: readonly { readonly spec: PluginSpec; readonly options: Readonly<Record<string, Json>> }[];
  /** Plugins of the config that this one requires. */
  behind(spec: PluginSpec): readonly PluginDescription[];
}

export interface PluginDescription {
  readonly spec: PluginSpec;
  readonly part: ApiPart;
}

export function createScope(input: OpenapiInput): Scope {
  const { analysis, registry } = input;
  const models = new Map(analysis.models.map((model) => [model.name, model]));
  const find = createTableFinder(registry, analysis.models);
  const scope = {
    input,
    registry,
    chosen: listChosenSpecs({ input, registry }),
    models,
    resources: new Map(analysis.resources.map((resource) => [resource.id, resource])),
    actions: new Map(analysis.resources.flatMap(({ actions }) => actions.map((action) => [action.key, action]))),
    statement: createStatementReader(input, find),
  };
  return { ...scope, behind: createRequiredFinder(scope) };
}

/** Null unless there is exactly one statement. Cached by text. */
function createStatementReader(input: OpenapiInput, findTable: RowsToDescribe['findTable']): Scope['statement'] {
  const known = { own: new Map<string, JsonSchema>(), foreign: new Map<string, JsonSchema>() };
  return (action) => {
    const [only, other] = action.definition.finds.statements.filter(({ node }) => isInside(node, action.node));
    if (only === undefined || other !== undefined) return null;
    const { language, scan, softDelete } = only;
    const foreign = isForeign(action, input);
    const texts = foreign ? known.foreign : known.own;
    const describeText = (): JsonSchema => {
      const description = input.describe?.(only) ?? null;
      return language.describeRows(scan, { parser: input.sql, findTable, isForeign: foreign, description });
    };
    const rows = texts.get(scan.text) ?? describeText();
    texts.set(scan.text, rows);
    const verb = softDelete?.scalar === true ? 'UPDATE' : scan.verb;
    return { verb, rows, reads: verb === 'SELECT' && language.isReadOnly(scan) };
  };
}

/** True if the statement's database does not use the parser's syntax. */
function isForeign({ stores }: ActionModel, { config, registry, sql }: OpenapiInput): boolean {
  return stores.some(({ kind, instance }) => {
    const chosen = config.chosen.find((one) => one.kind === kind && one.instance === instance);
    const syntax = chosen && registry.plugin(kind, chosen.name)?.facts?.syntax;
    return typeof syntax === 'string' && syntax !== sql?.syntax;
  });
}

function createTableFinder(registry: Registry, models: readonly DataModel[]): RowsToDescribe['findTable'] {
  const sound = models.filter((model) => model.sound);
  const byName = new Map(sound.map((model) => [model.name, model]));
  const aliases = mapModelsByAlias([...byName.keys()]);
  const made = new Map<string, DescribedTable>();
  return (name) => {
    const model = byName.get(aliases.get(name.toLowerCase()) ?? '');
    if (model === undefined) return undefined;
    const table = made.get(model.name) ?? toApiTable(registry, model);
    made.set(model.name, table);
    return table;
  };
}

function toApiTable(registry: Registry, model: DataModel): DescribedTable {
  const columns = new Map<string, JsonSchema>();
  for (const { name, value } of model.fields) {
    const schema = toColumnSchema(registry, value);
    columns.set(name, value['optional'] === true ? toNullable(schema) : schema);
  }
  for (const name of model.added) columns.set(name, toNullable(getColumnSchema('timestamp')));
  const keys = model.fields.filter(({ value }) => value['primary_key'] === true).map(({ name }) => [name]);
  return { columns, uniques: [...keys, ...model.uniques] };
}

function toColumnSchema(registry: Registry, field: Readonly<Record<string, Json>>): JsonSchema {
  const kind = registry.listKinds(Slot.MODEL_FIELD)[0]?.kind ?? '';
  const schema = describeValue(registry, kind, asText(field['type']), field);
  const longest = field['max_length'];
  return schema['type'] === 'string' && typeof longest === 'number' ? { ...schema, maxLength: longest } : schema;
}

/** Schema of a plugin's value outside of any resource. */
function describeValue(
  registry: Registry,
  kind: string,
  name: string,
  value: Readonly<Record<string, Json>>,
): JsonSchema {
  const spec = registry.plugin(kind, name);
  if (spec?.openapi === undefined) return getColumnSchema(spec?.facts?.column ?? '');
  return spec.openapi(createBarePlace(registry, value)).value ?? ANY;
}

const returnNull = (): null => null;

/** A place outside of any resource, where other plugins are unknown. */
const createBarePlace = (registry: Registry, value: Readonly<Record<string, Json>>): ApiPlace =>
  createPlace(
    registry,
    { slot: '', value, holder: value, resource: null, action: null, payload: returnNull },
    {
      written: () => ANY,
      statement: returnNull,
      used: () => false,
    },
  );

function createPlace(
  registry: Registry,
  { slot, value, holder, resource, action, payload }: DescribedUse,
  { written, statement, used }: Pick<ApiPlace, 'written' | 'statement' | 'used'>,
): ApiPlace {
  return {
    slot,
    value,
    holder,
    root: resource?.value ?? holder,
    facts: (kind, name) => registry.plugin(kind, name)?.facts,
    getValueSchema: (kind, name, inner) => describeValue(registry, kind, name, inner),
    written,
    payload,
    statement,
    used,
    isMade: (name) => resource !== null && (resource.names.has(name) || resource.generated.has(name)),
    repeated: (action?.repeat ?? null) !== null,
  };
}

export interface DescribedUse {
  readonly slot: string;
  readonly value: Readonly<Record<string, Json>>;
  readonly holder: Readonly<Record<string, Json>>;
  readonly resource: ResourceModel | null;
  readonly action: ActionModel | null;
  readonly payload: ApiPlace['payload'];
}

export function describePlugin(scope: Scope, spec: PluginSpec, around: DescribedUse): ApiPart {
  if (spec.openapi === undefined) return SILENT;
  return spec.openapi(
    createPlace(scope.registry, around, {
      written: (json) => createValueSchema(json, (root, tail) => describeAccessorValue(scope, around, root, tail)),
      statement: () => (around.action === null ? null : scope.statement(around.action)),
      used: (plugin) => scope.input.analysis.uses.has(plugin),
    }),
  );
}

const SILENT: ApiPart = Object.freeze({});

function describeAccessorValue(scope: Scope, around: DescribedUse, root: string, tail: readonly string[]): JsonSchema {
  const spec = findAccessorSpec(scope.registry, root);
  return spec === undefined ? ANY : (describePlugin(scope, spec, { ...around, value: { tail } }).value ?? ANY);
}

export function findAccessorSpec(registry: Registry, root: string): PluginSpec | undefined {
  for (const { kind } of registry.listKinds(Slot.ACCESSOR)) {
    const spec = registry.plugin(kind, root);
    if (spec !== undefined) return spec;
  }
  return undefined;
}

function listChosenSpecs({
  input,
  registry,
}: Pick<Scope, 'input' | 'registry'>): { spec: PluginSpec; options: Readonly<Record<string, Json>> }[] {
  return input.config.chosen.flatMap(({ kind, name, options }) => {
    const spec = registry.plugin(kind, name);
    return spec === undefined ? [] : [{ spec, options }];
  });
}

/** The config's plugins that match a plugin's `requires`. */
function createRequiredFinder(scope: Omit<Scope, 'behind'>): Scope['behind'] {
  const made = new Map<PluginSpec, readonly PluginDescription[]>();
  return (asking) => {
    const known = made.get(asking);
    if (known !== undefined) return known;
    const { requires = [] } = asking;
    const isAsked = (spec: PluginSpec): boolean =>
      requires.some((pattern) => pattern === pluginId(spec) || pattern === `${spec.kind}:*`);
    const found = scope.chosen
      .filter(({ spec }) => isAsked(spec))
      .map(({ spec, options }) => ({ spec, part: spec.openapi?.(createBarePlace(scope.registry, options)) ?? {} }));
    made.set(asking, found);
    return found;
  };
}
