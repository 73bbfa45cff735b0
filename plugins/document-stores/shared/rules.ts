/**
 * What a model demands of the documents of its collection, as the `$jsonSchema` of MongoDB says it, and which of two sets of
 * rules lets more through. Pure: no database. Fields that the model does not know stay allowed.
 */
import type { ColumnType, ModelColumn, ModelTable } from '../../../kernel/contract/model.js';

export interface FieldRule {
  readonly bsonType?: readonly string[];
  readonly maxLength?: number;
  /** Whole numbers, whatever type keeps them. */
  readonly multipleOf?: number;
  readonly properties?: Readonly<Record<string, FieldRule>>;
  readonly items?: FieldRule;
}

export interface Rules {
  /** Says that these rules are ours. */
  readonly title: string;
  readonly bsonType: 'object';
  /** Absent rather than empty. */
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, FieldRule>>;
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

/** Every document has an `_id`; of which type is not the model's business. */
export const fieldsOf = ({ columns }: ModelTable): readonly ModelColumn[] =>
  columns.filter(({ name }) => name !== '_id');

/** The database gives no numbers out: who leaves a counted key out has `_id`. */
export const isRequired = ({ nullable, primaryKey, autoIncrement }: ModelColumn): boolean =>
  !nullable && !primaryKey && !autoIncrement;

function ruleOf(column: ModelColumn): FieldRule {
  return ruleOfType(column, isRequired(column) ? [] : ['null']);
}

function ruleOfType(
  { type, holds, maxLength = null }: Pick<ModelColumn, 'type' | 'holds'> & Partial<ModelColumn>,
  besides: readonly string[],
): FieldRule {
  return {
    bsonType: [...(holds === undefined ? TYPES[type] : [holds.form]), ...besides],
    ...(type === 'integer' && { multipleOf: 1 }),
    ...(type === 'text' && maxLength !== null && { maxLength }),
    ...(holds?.form === 'object' &&
      holds.fields.length > 0 && {
        // None of them has to be there: what belongs together is for the definition to say.
        properties: Object.fromEntries(holds.fields.map((field) => [field.name, ruleOfType(field, inObject(field))])),
      }),
    ...(holds?.form === 'array' && holds.items !== null && { items: ruleOfType(holds.items, []) }),
  };
}

/** Inside an object a value comes as JSON has it: times may be text. */
const inObject = ({ type }: Pick<ModelColumn, 'type'>): string[] => [
  'null',
  ...(type === 'timestamp' ? ['string'] : []),
];

export function rulesOf(table: ModelTable): Rules {
  const fields = fieldsOf(table);
  const properties = Object.fromEntries(fields.map((column) => [column.name, ruleOf(column)]));
  return rules(
    properties,
    fields.filter(isRequired).map(({ name }) => name),
  );
}

const rules = (properties: Rules['properties'], required: readonly string[]): Rules => ({
  title: TITLE,
  bsonType: 'object',
  ...(required.length > 0 && { required }),
  properties,
});

/** Rules that a collection has: ours, of somebody else, or none. */
export function ourRules(validator: unknown): Rules | 'foreign' | null {
  const keys = isRecord(validator) ? Object.keys(validator) : [];
  if (!isRecord(validator) || keys.length === 0) return null;
  const schema = validator['$jsonSchema'];
  const ours = keys.length === 1 && isRecord(schema) && schema['title'] === TITLE && isRecord(schema['properties']);
  return ours ? (schema as unknown as Rules) : 'foreign';
}

export interface Merged {
  /** Null: nothing to change. */
  readonly rules: Rules | null;
  /** Fields whose rules are new or wider. */
  readonly changed: readonly string[];
  /** Fields that documents must have from now on, and others may lack. */
  readonly demanded: readonly string[];
  /** Fields whose rules would have to become narrower; they stay as they are. */
  readonly narrower: readonly string[];
  /** Fields that the model has no more, and documents still must have. */
  readonly forgotten: readonly string[];
}

/** What there is, with what the model adds and what it lets through besides. */
export function mergeRules(known: Rules, wanted: Rules): Merged {
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
    } else if (sameRule(before, rule) && needed === required.has(name)) continue;
    else if (!covers(rule, before) || (needed && !required.has(name))) {
      narrower.push(name);
      continue;
    }
    properties.set(name, rule);
    if (needed) required.add(name);
    else required.delete(name);
    changed.push(name);
  }
  const forgotten = [...required].filter((name) => !Object.hasOwn(wanted.properties, name));
  const merged = changed.length === 0 ? null : rules(Object.fromEntries(properties), [...required]);
  return { rules: merged, changed, demanded, narrower, forgotten };
}

/** Everything that passes the one passes the other. Parts of lists and objects are compared as they stand. */
function covers(wide: FieldRule, narrow: FieldRule): boolean {
  const types = wide.bsonType === undefined || (narrow.bsonType ?? ['']).every((type) => wide.bsonType?.includes(type));
  const length = wide.maxLength === undefined || wide.maxLength >= (narrow.maxLength ?? Infinity);
  const whole = wide.multipleOf === undefined || wide.multipleOf === narrow.multipleOf;
  const parts = (['properties', 'items'] as const).every(
    (part) => wide[part] === undefined || same(wide[part], narrow[part]),
  );
  return types && length && whole && parts;
}

const sameRule = (a: FieldRule, b: FieldRule): boolean => covers(a, b) && covers(b, a);

/** Numbers of a database may be of another width, but never of another value. */
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
