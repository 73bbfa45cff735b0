/** Converts models to `$jsonSchema`; existing rules are never narrowed. */
import type { ColumnType, ModelColumn, ModelTable } from '../../../contract/model.js';

export interface FieldSchema {
  readonly bsonType?: readonly string[];
  readonly maxLength?: number;
  /** An integer in any number type. */
  readonly multipleOf?: number;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
}

export interface Rules {
  /** Marks rules created by Lintel. */
  readonly title: string;
  readonly bsonType: 'object';
  /** Absent instead of empty. */
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, FieldSchema>>;
}

const TITLE = 'lintel';

const NUMBERS = ['int', 'long', 'double'];
const TYPES: Readonly<Record<ColumnType, readonly string[]>> = {
  integer: NUMBERS,
  float: [...NUMBERS, 'decimal'],
  text: ['string'],
  boolean: ['bool'],
  timestamp: ['date'],
  json: ['object', 'array', 'string', 'bool', ...NUMBERS],
};

/** `_id` may have any type. */
export const listFields = ({ columns }: ModelTable): readonly ModelColumn[] =>
  columns.filter(({ name }) => name !== '_id');

/** MongoDB has no auto-increment; `_id` identifies the document. */
export const isRequired = ({ nullable, primaryKey, autoIncrement }: ModelColumn): boolean =>
  !nullable && !primaryKey && !autoIncrement;

function toFieldRule(column: ModelColumn): FieldSchema {
  return toTypeRule(column, isRequired(column) ? [] : ['null']);
}

function toTypeRule(
  { type, holds, maxLength = null }: Pick<ModelColumn, 'type' | 'holds'> & Partial<ModelColumn>,
  besides: readonly string[],
): FieldSchema {
  return {
    bsonType: [...(holds === undefined ? TYPES[type] : [holds.form]), ...besides],
    ...(type === 'integer' && { multipleOf: 1 }),
    ...(type === 'text' && maxLength !== null && { maxLength }),
    ...(holds?.form === 'object' &&
      holds.fields.length > 0 && {
        // Inner fields are optional; the definition validates them.
        properties: Object.fromEntries(
          holds.fields.map((field) => [field.name, toTypeRule(field, listExtraTypes(field))]),
        ),
      }),
    ...(holds?.form === 'array' && holds.items !== null && { items: toTypeRule(holds.items, []) }),
  };
}

/** Inside objects, timestamps may be text. */
const listExtraTypes = ({ type }: Pick<ModelColumn, 'type'>): string[] => [
  'null',
  ...(type === 'timestamp' ? ['string'] : []),
];

export function createRules(table: ModelTable): Rules {
  const fields = listFields(table);
  const properties = Object.fromEntries(fields.map((column) => [column.name, toFieldRule(column)]));
  return buildRules(
    properties,
    fields.filter(isRequired).map(({ name }) => name),
  );
}

const buildRules = (properties: Rules['properties'], required: readonly string[]): Rules => ({
  title: TITLE,
  bsonType: 'object',
  ...(required.length > 0 && { required }),
  properties,
});

export function parseOwnRules(validator: unknown): Rules | 'foreign' | null {
  const keys = isRecord(validator) ? Object.keys(validator) : [];
  if (!isRecord(validator) || keys.length === 0) return null;
  const schema = validator['$jsonSchema'];
  return keys.length === 1 && isOwnSchema(schema) ? schema : 'foreign';
}

const isOwnSchema = (schema: unknown): schema is Rules =>
  isRecord(schema) && schema['title'] === TITLE && isRecord(schema['properties']);

export interface MergedRules {
  /** Null: nothing to change. */
  readonly rules: Rules | null;
  readonly changed: readonly string[];
  /** New required fields, which existing documents may lack. */
  readonly demanded: readonly string[];
  /** Narrower rules are not applied. */
  readonly narrower: readonly string[];
  /** Required fields that are no longer in the model. */
  readonly forgotten: readonly string[];
}

export function mergeRules(known: Rules, wanted: Rules): MergedRules {
  const changed: string[] = [];
  const demanded: string[] = [];
  const narrower: string[] = [];
  const properties = new Map(Object.entries(known.properties));
  const required = new Set(known.required ?? []);
  for (const [name, rule] of Object.entries(wanted.properties)) {
    const before = properties.get(name);
    const needed = wanted.required?.includes(name) === true;
    if (before === undefined) {
      if (needed) demanded.push(name);
    } else if (isSameRule(before, rule) && needed === required.has(name)) continue;
    else if (!isCovering(rule, before) || (needed && !required.has(name))) {
      narrower.push(name);
      continue;
    }
    properties.set(name, rule);
    if (needed) required.add(name);
    else required.delete(name);
    changed.push(name);
  }
  const forgotten = [...required].filter((name) => !Object.hasOwn(wanted.properties, name));
  const merged = changed.length === 0 ? null : buildRules(Object.fromEntries(properties), [...required]);
  return { rules: merged, changed, demanded, narrower, forgotten };
}

/** All that passes `narrow` passes `wide`. Nested rules must be equal. */
function isCovering(wide: FieldSchema, narrow: FieldSchema): boolean {
  const types = wide.bsonType === undefined || (narrow.bsonType ?? ['']).every((type) => wide.bsonType?.includes(type));
  const length = wide.maxLength === undefined || wide.maxLength >= (narrow.maxLength ?? Infinity);
  const whole = wide.multipleOf === undefined || wide.multipleOf === narrow.multipleOf;
  const parts = (['properties', 'items'] as const).every(
    (part) => wide[part] === undefined || isSame(wide[part], narrow[part]),
  );
  return types && length && whole && parts;
}

const isSameRule = (a: FieldSchema, b: FieldSchema): boolean => isCovering(a, b) && isCovering(b, a);

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
