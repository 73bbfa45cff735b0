/**
 * Schema types that yup lacks. Inner schemas are thunks, because yup clones metadata without prototypes. Validates
 * nothing.
 */
import { array, boolean, mixed, number, object, string, type ObjectShape, type Schema } from 'yup';
import type { Json, JsonObject } from './json.js';
import type { FieldMeta } from './field-meta.js';

/** The walker reports unknown keys. */
export const shape = <S extends ObjectShape>(fields: S, meta: Pick<FieldMeta, 'mistaken' | 'form'> = {}) =>
  Object.keys(meta).length === 0 ? object(fields) : object(fields).meta({ doc: '', ...meta });

/** An open map: any key, with values of the schema `entry`. */
export const record = <T = Json>(entry: Schema<T>, meta: FieldMeta) =>
  mixed<Readonly<Record<string, NonNullable<T>>>>().meta({ ...meta, shape: 'record', inner: () => entry });

/** A literal, or a string with accessors; `null` allows any JSON with accessors anywhere. */
export const value = (literal: Schema | null, meta: FieldMeta) =>
  mixed<NonNullable<Json>>().meta({ ...meta, shape: 'value', inner: () => literal });

/** An object with fields defined by the plugins of the slots. */
export const slot = (names: readonly string[], meta: FieldMeta) =>
  mixed<JsonObject>().meta({ ...meta, shape: 'slot', parts: names });

/** One of several forms, distinguished by JSON type. */
export const either = (forms: readonly Schema[], meta: FieldMeta) =>
  mixed<NonNullable<Json>>().meta({ ...meta, shape: 'either', options: () => forms });

export const list = <T>(item: Schema<T>, meta: FieldMeta) => array(item).meta(meta);

export const text = (meta: FieldMeta) => string().meta(meta);
export const flag = (meta: FieldMeta) => boolean().meta(meta);
export const numeric = (meta: FieldMeta) => number().meta(meta);

export const pluginName = (kind: string, meta: FieldMeta) => string().meta({ ...meta, plugin: kind });

/** Any JSON, taken literally: accessors in it are not resolved. */
export const anyJson = (meta: FieldMeta) => mixed<NonNullable<Json>>().meta(meta);
