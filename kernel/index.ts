/** The `lintel` entry point for plugin authors: the light half of the contract, for specs and kinds. */
export type { ApiPart, ApiPlace, JsonSchema } from './contract/api.js';
export { defineKind } from './contract/kind.js';
export type { ConfigSection, FactSpec, Host, Kind, Select } from './contract/kind.js';
export { definePlugin } from './contract/plugin.js';
export type { CheckPlace, Finding, PluginSpec } from './contract/plugin.js';
export type { Json, JsonObject } from './contract/json.js';
export { Slot } from './contract/slot.js';
export {
  anyJson,
  either,
  flag,
  list,
  numeric,
  pluginName,
  record,
  shape,
  slot,
  text,
  value,
} from './schema/combinators.js';
