/** The `lintel` entry point for plugin authors: the light half of the contract, for specs and kinds. */
export type { ApiPart, ApiPlace, JsonSchema } from './api.js';
export { defineKind } from './kind.js';
export type { ConfigSection, FactSpec, Host, Kind, Select } from './kind.js';
export { definePlugin } from './plugin.js';
export type { CheckPlace, Finding, PluginSpec } from './plugin.js';
export type { Json, JsonObject } from './json.js';
export { Slot } from './slot.js';
export { anyJson, either, flag, list, numeric, pluginName, record, shape, slot, text, value } from './combinators.js';
