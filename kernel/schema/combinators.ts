/**
 * What the schema library cannot say by itself: open maps, slots, and values that may be literals or accessors. The
 * inner schema travels as a thunk in the metadata (class instances would lose their prototype); nothing here judges.
 */
import { array, boolean, mixed, number, object, string, type ObjectShape, type Schema } from 'yup';
import type { Json, JsonObject } from '../contract/json.js';
import type { FieldMeta } from './meta.js';

/** An object with named fields; unknown keys are reported by the walker, with their place. */
export const shape = <S extends ObjectShape>(fields: S, meta: Pick<FieldMeta, 'mistaken' | 'form'> = {}) =>
  Object.keys(meta).length === 0 ? object(fields) : object(fields).meta({ doc: '', ...meta });

/** An open map: every key is legal, every value follows `entry`. */
export const record = <T = Json>(entry: Schema<T>, meta: FieldMeta) =>
  mixed<Readonly<Record<string, NonNullable<T>>>>().meta({ ...meta, shape: 'record', inner: () => entry });

/** A literal that `literal` accepts, or a string with accessors; `null` for any JSON with accessors anywhere inside. */
export const value = (literal: Schema | null, meta: FieldMeta) =>
  mixed<NonNullable<Json>>().meta({ ...meta, shape: 'value', inner: () => literal });

/** An object whose fields come from the plugins of the slots. */
export const slot = (names: readonly string[], meta: FieldMeta) =>
  mixed<JsonObject>().meta({ ...meta, shape: 'slot', parts: names });

/** One of several forms, told apart by their JSON types: a name, or an object, or a list. */
export const either = (forms: readonly Schema[], meta: FieldMeta) =>
  mixed<NonNullable<Json>>().meta({ ...meta, shape: 'either', options: () => forms });

/** Items of one schema. */
export const list = <T>(item: Schema<T>, meta: FieldMeta) => array(item).meta(meta);

/** Text, switches and numbers; the short forms keep specs readable. */
export const text = (meta: FieldMeta) => string().meta(meta);
export const flag = (meta: FieldMeta) => boolean().meta(meta);
export const numeric = (meta: FieldMeta) => number().meta(meta);

/** The name of a plugin of a kind. */
export const pluginName = (kind: string, meta: FieldMeta) => string().meta({ ...meta, plugin: kind });

/** Any JSON, taken as it is; accessors in it are not read. */
export const anyJson = (meta: FieldMeta) => mixed<NonNullable<Json>>().meta(meta);
