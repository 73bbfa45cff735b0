/** What checks of plugins look up in the whole set, recorded so that they run again only after a change. */
import type { Json } from '../../contract/json.js';
import { toJsonObject } from '../source/tree.js';
import type { EnvFacts } from './checks/accessors.js';
import type { ModelField, PluginSettings } from './checks/plugins.js';
import type { AnalysisSettings } from './config.js';
import type { Definition } from './model.js';
import type { Lookups } from './stage-cache.js';
import type { TableNames } from './tables.js';
import type { UniqueFields } from './uniques.js';

/** Beyond the definition and the results of earlier stages. */
export interface PluginLookups {
  readonly env: EnvFacts | null;
  readonly given: AnalysisSettings | null;
  readonly tables: TableNames;
  /** By name. */
  readonly models: ReadonlyMap<string, readonly Definition[]>;
  /** Names of secret fields, by model. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
  readonly uniques: UniqueFields;
  /** What the issuers of the set issue, in words. */
  readonly tokens: readonly string[];
}

// Here, the lookups hold nothing of the run that made them.
export const readFields = ({ readAnswer }: Lookups<PluginLookups>, model: string): readonly string[] =>
  readAnswer(`columns of ${model}`, ({ tables }) => tables.listFields(model));

export const readModel = ({ readAnswer }: Lookups<PluginLookups>, table: string): string | null =>
  readAnswer(`model of ${table}`, ({ tables }) => tables.findModel(table) ?? null);

export const readSecrets = ({ readAnswer }: Lookups<PluginLookups>, model: string): readonly string[] =>
  readAnswer(`secrets of ${model}`, ({ secrets }) => secrets.get(model)) ?? [];

export const readTokens = ({ readAnswer }: Lookups<PluginLookups>): readonly string[] =>
  readAnswer('tokens', ({ tokens }) => tokens);

export const readModels = ({ readAnswer }: Lookups<PluginLookups>, names: readonly string[]): readonly Definition[] =>
  names.flatMap((name) => readAnswer(`models ${name}`, ({ models }) => models.get(name)) ?? []);

/** In lower case, including the columns of combinations. */
export const readUniqueNames = (
  { readAnswer }: Lookups<PluginLookups>,
  names: readonly string[],
): ReadonlySet<string> =>
  new Set(
    names
      .flatMap((model) => readAnswer(`uniques of ${model}`, ({ uniques }) => uniques.get(model)) ?? [])
      .flatMap((fields) => fields.map((name) => name.toLowerCase())),
  );

type DefinedFields = ReturnType<typeof mapFields>;

const printFields = (fields: DefinedFields): string => JSON.stringify([...fields]);

export const readDefinedFields = ({ readAnswer }: Lookups<PluginLookups>, names: readonly string[]): DefinedFields =>
  readAnswer(`fields of ${names.join()}`, ({ models }) => mapFields(models, names), printFields);

export const readField = (
  { readAnswer }: Lookups<PluginLookups>,
  names: readonly string[],
  field: string,
): ReturnType<ModelField> =>
  readAnswer(
    `field ${field} of ${names.join()}`,
    ({ models }) => findField(models, names, field),
    (found) => found?.node,
  );

/** Only a check that reads a setting depends on it. */
export const recordSettings = ({ readAnswer }: Lookups<PluginLookups>): PluginSettings => ({
  get testing() {
    return readAnswer('testing', ({ given }) => given?.testing) === true;
  },
  get profile() {
    return readAnswer('profile', ({ given }) => given?.profile) ?? null;
  },
  get outbound() {
    return readAnswer('outbound', ({ given }) => given?.outbound ?? null, JSON.stringify);
  },
  get connections() {
    return readAnswer('connections', ({ given }) => given?.websocket.enabled) === true;
  },
});

export const getEnv = ({ env }: PluginLookups): EnvFacts | null => env;

/** By lower-case name; a name that two models define is omitted. */
function mapFields(
  models: PluginLookups['models'],
  names: readonly string[],
): ReadonlyMap<string, Readonly<Record<string, Json>>> {
  const found = new Map<string, Readonly<Record<string, Json>> | null>();
  for (const { node } of listModels(models, names)) {
    for (const { key, value } of node.members) {
      if (value !== null) found.set(key.toLowerCase(), found.has(key.toLowerCase()) ? null : toJsonObject(value));
    }
  }
  return new Map([...found].flatMap(([key, field]) => (field === null ? [] : [[key, field] as const])));
}

function findField(models: PluginLookups['models'], names: readonly string[], field: string): ReturnType<ModelField> {
  const found = listModels(models, names).flatMap(({ doc, node }) =>
    node.members.flatMap(({ key, value }) => (key === field && value !== null ? [{ doc, node: value }] : [])),
  );
  return found.length === 1 ? (found[0] ?? null) : null;
}

const listModels = (models: PluginLookups['models'], names: readonly string[]): readonly Definition[] =>
  names.flatMap((name) => models.get(name) ?? []);
