/** JSON Schemas as TypeScript types. What a schema leaves open is `unknown`. */
import { isObject, type Json, type JsonObject } from '../../../contract/json.js';
import { getProperties, listRequired } from '../../../contract/forms.js';

/** `input`: of what is sent, where `undefined` may be written for a field that is left out. */
export interface TypeOptions {
  readonly input: boolean;
  readonly indent: string;
}

export function writeType(schema: JsonObject, options: TypeOptions): string {
  const { $ref, const: only, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if (only !== undefined) return writeLiteral(only);
  if (Array.isArray(values)) return joinTypes(values.map(writeLiteral));
  const forms = anyOf ?? oneOf;
  if (Array.isArray(forms)) return joinTypes(listObjects(forms).map((one) => writeType(one, options)));
  if (Array.isArray(allOf)) return intersectTypes(listObjects(allOf).map((one) => writeType(one, options)));
  if (Array.isArray(type))
    return joinTypes((type as readonly Json[]).map((one) => writeType({ ...schema, type: one }, options)));
  switch (type) {
    case 'string':
      return schema['format'] === 'binary' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return `readonly ${addParentheses(isObject(schema['items']) ? writeType(schema['items'], options) : 'unknown')}[]`;
    case 'object':
      return writeObject(schema, options);
    default:
      return getProperties(schema) === null ? 'unknown' : writeObject(schema, options);
  }
}

/** Of an object or a list, only that it is one. */
const writeLiteral = (value: Json): string =>
  typeof value === 'string'
    ? writeText(value)
    : typeof value === 'object' && value !== null
      ? 'unknown'
      : String(value);

const listObjects = (list: readonly Json[]): readonly JsonObject[] => list.filter(isObject);

function joinTypes(types: readonly string[]): string {
  if (types.length === 0 || types.includes('unknown')) return 'unknown';
  return [...new Set(types)].join(' | ');
}

/** Schemas that only bound a value say nothing about its type. */
function intersectTypes(types: readonly string[]): string {
  const certain = [...new Set(types)].filter((one) => one !== 'unknown');
  return certain.length === 0 ? 'unknown' : certain.map(addParentheses).join(' & ');
}

const addParentheses = (type: string): string =>
  type.includes(' | ') && !/^\{[^]*\}$/.test(type) ? `(${type})` : type;

function writeObject(schema: JsonObject, options: TypeOptions): string {
  const properties = getProperties(schema);
  if (properties === null) return 'Readonly<Record<string, unknown>>';
  if (Object.keys(properties).length === 0) return 'Readonly<Record<string, never>>';
  return `{\n${writeFields(properties, listRequired(schema), { ...options, indent: `${options.indent}  ` })}${options.indent}}`;
}

/** One line for each field, with its comment. */
export function writeFields(
  properties: Readonly<Record<string, JsonObject>>,
  required: readonly string[],
  options: TypeOptions,
): string {
  const { indent, input } = options;
  return Object.entries(properties)
    .map(([name, schema]) => {
      const type = writeType(schema, options);
      const isOptional = !required.includes(name);
      const written = isOptional && input && type !== 'unknown' ? `${type} | undefined` : type;
      return `${writeComment(describeSchema(schema), indent)}${indent}readonly ${writeKey(name)}${isOptional ? '?' : ''}: ${written};\n`;
    })
    .join('');
}

export const writeKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : writeText(name));

/** In single quotes. */
export const writeText = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** A comment of one line, or of several; nothing for an empty text. */
export function writeComment(text: string, indent: string): string {
  // A definition must not end the comment.
  const lines = text.replaceAll('*/', '*\\/').trim().split('\n');
  if (text.trim() === '') return '';
  if (lines.length === 1) return `${indent}/** ${lines[0] ?? ''} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** What a type does not say: the description, formats and bounds. */
function describeSchema(schema: JsonObject): string {
  const { description, format, minLength, maxLength, minimum, maximum, maxItems } = schema;
  const parts = [
    typeof description === 'string' ? description : '',
    ...(typeof format === 'string' && format !== 'binary' ? [`Format: ${format}.`] : []),
    formatRange('characters', minLength, maxLength),
    formatRange('', minimum, maximum),
    formatRange('entries', undefined, maxItems),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function formatRange(unit: string, least: Json | undefined, most: Json | undefined): string {
  const end = unit === '' ? '.' : ` ${unit}.`;
  if (typeof least === 'number' && typeof most === 'number') return `${least} to ${most}${end}`;
  if (typeof most === 'number') return `At most ${most}${end}`;
  return typeof least === 'number' ? `At least ${least}${end}` : '';
}
