/** The `lintel` entry point for plugin authors: the light contract, for specs and kinds. */
export type { ApiPart, ApiPlace, JsonSchema } from './api.js';
export { defineKind } from './kind.js';
export type { ConfigSection, FactSpec, Host, Kind, Select } from './kind.js';
export { definePlugin } from './plugin.js';
export type { CheckPlace, Finding } from './plugin.js';
export type { PluginSpec } from './plugin-spec.js';
export type { Json, JsonObject } from './json.js';
export { Slot } from './slot.js';
export { anyJson, either, flag, list, numeric, pluginName, record, shape, slot, text, value } from './combinators.js';
