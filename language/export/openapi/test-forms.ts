/** What a test sends to a resource and can expect of it, for editors. */
import type { JsonSchema } from '../../../contract/api.js';
import {
  combineForms,
  createListSchema,
  createObjectSchema,
  getProperties,
  isList,
  isNull,
  splitForms,
} from '../../../contract/forms.js';
import { isObject, type Json } from '../../../contract/json.js';
import type { ResourceModel } from '../../analysis/model.js';
import { sampleSchema } from '../../schema/sample.js';
import { createRequestShape, type RequestShape } from './request.js';
import { describeResource } from './resource.js';
import { createScope, type OpenapiInput } from './scope.js';

export interface TestForms {
  readonly shape: RequestShape;
  /** The payload, with the parameters of the path. */
  readonly sent: JsonSchema;
  readonly payload: Json;
  /** A form of the result: an object before a list of such. */
  readonly received: JsonSchema;
  /** The result without rows; undefined where there is always one. */
  readonly empty: Json | undefined;
}

/** Null if no request can reach the resource. */
export function describeTestForms(input: Omit<OpenapiInput, 'info'>, resource: ResourceModel): TestForms | null {
  const whole = { ...input, info: { title: '', version: '' } };
  const shape = createRequestShape(whole, resource);
  const described = describeResource(createScope(whole), resource);
  if (shape === null || described === null) return null;
  const all = [...described.fields];
  const fields = createObjectSchema(
    Object.fromEntries(all.map(([name, { schema }]) => [name, schema])),
    all.flatMap(([name, { required }]) => (required ? [name] : [])),
  );
  const forms = described.forms.flatMap(splitForms);
  const inPath = Object.fromEntries(shape.parameters.map(({ name, sample }) => [name, sample]));
  return {
    shape,
    sent: described.body ?? (described.list ? createListSchema(fields) : fields),
    payload: isObject(shape.payload) ? { ...inPath, ...shape.payload } : shape.payload,
    received: forms.find(getProperties) ?? forms.find(isList) ?? combineForms(forms),
    empty: !forms.some(isList) ? undefined : forms.some(isNull) ? null : [],
  };
}

const FORMS: Readonly<Record<string, string>> = { 'date-time': 'timestamp', uuid: 'uuid', email: 'email', uri: 'url' };

/** Matchers for the values of a schema; undefined where any value may be there. */
export function createExpectation(schema: JsonSchema): Json | undefined {
  const { type, format, items } = schema;
  if (Object.hasOwn(schema, 'const')) return schema['const'];
  const properties = getProperties(schema);
  if (properties !== null) {
    const named = Object.entries(properties).flatMap(([name, one]) => {
      const value = createExpectation(one);
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(named);
  }
  if (isList(schema)) {
    const item = isObject(items) ? createExpectation(items) : undefined;
    return item === undefined ? { $any: 'list' } : [item];
  }
  if (typeof type !== 'string') return undefined;
  return { $any: (type === 'string' && typeof format === 'string' ? FORMS[format] : undefined) ?? type };
}

/** Values that a schema accepts: all of a short list, or a sample. */
export function listSamples(schema: JsonSchema): Json[] {
  if (Array.isArray(schema['enum'])) return [...(schema['enum'] as readonly Json[])];
  return schema['type'] === 'boolean' ? [true, false] : [sampleSchema(schema)];
}
