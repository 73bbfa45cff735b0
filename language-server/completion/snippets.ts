/** Snippets of starting values, from the examples, defaults and bounds of specs; valid without edits. */
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import type { Expansion, Registry } from '../../language/analysis/registry.js';
import { snippetText } from './edit.js';
import { withChoices } from './variants.js';

/** Longer lines are broken. */
const LINE = 76;

interface Writing {
  readonly registry: Registry;
  /** Number of the next tab stop. */
  next: number;
}

/** `given`: the part of the value that is already known; `first`: number of the first tab stop. */
export const valueSnippet = (registry: Registry, field: FieldNode, given?: Json, first = 1): string =>
  write({ registry, next: first }, field, given);

/** Members of an object without its braces, one per line. */
export const membersSnippet = (registry: Registry, field: FieldNode, given: JsonObject): string =>
  membersOf({ registry, next: 1 }, field, given).join(',\n');

function write(writing: Writing, field: FieldNode, given: Json | undefined): string {
  const { registry } = writing;
  const { values, meta } = field;
  const known = given ?? meta.examples?.[0] ?? meta.default;
  if (values !== null && values.length > 0) return choice(writing, startingWith(values, known));
  if (meta.plugin !== undefined && field.type === 'string') {
    const names = startingWith(registry.names(meta.plugin), known);
    return names.length > 0 ? choice(writing, names) : scalar(writing, '');
  }
  switch (field.type) {
    case 'boolean':
      return choice(writing, startingWith([true, false], given ?? (meta.default === true ? false : true)));
    case 'number':
      return scalar(writing, typeof known === 'number' ? known : (field.bounds.min ?? 0));
    case 'string':
      return scalar(writing, typeof known === 'string' ? known : '');
    case 'array':
      return writeList(writing, field, given);
    case 'object':
      return typeof given === 'string' ? scalar(writing, given) : braced(membersOf(writing, field, given));
    case 'record':
      return writeRecord(writing, field, known);
    case 'value':
      if (known !== undefined) return writeJson(writing, known);
      return field.inner === null ? stop(writing, '{}') : write(writing, field.inner, undefined);
    case 'either': {
      const form = field.options.find(({ type }) => known !== undefined && type === typeOf(known)) ?? field.options[0];
      return form === undefined ? stop(writing, '""') : write(writing, form, known);
    }
    case 'any':
      return known === undefined ? stop(writing, '""') : writeJson(writing, known);
  }
}

const typeOf = (json: Json): string => (Array.isArray(json) ? 'array' : json === null ? 'null' : typeof json);

function writeList(writing: Writing, field: FieldNode, given: Json | undefined): string {
  const { inner, bounds, meta, required } = field;
  const example = given ?? (required || inner?.type !== 'object' ? meta.examples?.[0] : undefined);
  if (Array.isArray(example) && example.length > 0) {
    const items = (example as readonly Json[]).map((item) =>
      inner === null ? writeJson(writing, item) : write(writing, inner, item),
    );
    return `[${items.join(', ')}]`;
  }
  if (inner?.type !== 'object') {
    const isNeeded = (bounds.min ?? 0) > 0;
    return isNeeded && inner !== null ? `[${write(writing, inner, undefined)}]` : `[${stop(writing, '')}]`;
  }
  // A union's variant is chosen in the next completion.
  const isUnion = inner.parts.some((slot) =>
    writing.registry.kindsIn(slot).some(({ select }) => select.by === 'field'),
  );
  return isUnion ? `[{${stop(writing, '')}}]` : `[${write(writing, inner, undefined)}]`;
}

function membersOf(writing: Writing, field: FieldNode, given: Json | undefined): string[] {
  const chosen = withChoices(writing.registry, field, isObject(given) ? given : {});
  const expansion = writing.registry.expand(field, (key) => chosen[key]);
  const names = [...expansion.fields].filter(([name, { field: own }]) => isWritten(expansion, chosen, name, own));
  // Chosen values are no tab stops, because the other fields depend on them.
  const settled = new Set(
    selectorsOf(writing.registry, field).filter((name) => isObject(given) && Object.hasOwn(given, name)),
  );
  return names.map(([name, { field: own }]) => {
    const text = settled.has(name) ? snippetText(JSON.stringify(chosen[name])) : write(writing, own, chosen[name]);
    return `${JSON.stringify(name)}: ${text}`;
  });
}

const selectorsOf = (registry: Registry, { parts }: FieldNode): string[] =>
  parts.flatMap((slot) =>
    registry.kindsIn(slot).flatMap(({ select }) => (select.by === 'field' ? [select.field] : [])),
  );

const isWritten = ({ instead }: Expansion, given: JsonObject, name: string, { required }: FieldNode): boolean =>
  Object.hasOwn(given, name) || (required && instead.get(name)?.some((key) => Object.hasOwn(given, key)) !== true);

function writeRecord(writing: Writing, { inner }: FieldNode, given: Json | undefined): string {
  if (!isObject(given)) return `{${stop(writing, '')}}`;
  const members = Object.entries(given).map(([name, json]) => {
    const key = scalar(writing, name);
    return `${key}: ${inner === null ? writeJson(writing, json) : write(writing, inner, json)}`;
  });
  return braced(members);
}

/** Writes the JSON with a tab stop at each scalar. */
function writeJson(writing: Writing, json: Json): string {
  if (Array.isArray(json)) return `[${(json as readonly Json[]).map((item) => writeJson(writing, item)).join(', ')}]`;
  if (isObject(json)) {
    return braced(
      Object.entries(json).map(([key, one]) => `${snippetText(JSON.stringify(key))}: ${writeJson(writing, one)}`),
    );
  }
  return scalar(writing, json as string | number | boolean | null);
}

/** Quotes stay outside of the tab stop, so typing replaces only the text. */
function scalar(writing: Writing, json: string | number | boolean | null): string {
  if (typeof json !== 'string') return stop(writing, JSON.stringify(json));
  return `"${stop(writing, JSON.stringify(json).slice(1, -1))}"`;
}

function stop(writing: Writing, text: string): string {
  const number = writing.next++;
  return text === '' ? `$${number}` : `\${${number}:${snippetText(text)}}`;
}

function choice(writing: Writing, values: readonly (string | number | boolean)[]): string {
  const texts = values.map((value) => JSON.stringify(value).replace(/[\\,|]/g, (character) => `\\${character}`));
  return `\${${writing.next++}|${texts.join(',')}|}`;
}

const startingWith = <T extends string | number | boolean>(values: readonly T[], first: Json | undefined): T[] => [
  ...values.filter((value) => value === first),
  ...values.filter((value) => value !== first),
];

function braced(members: readonly string[]): string {
  if (members.length === 0) return '{}';
  const line = `{ ${members.join(', ')} }`;
  // Of a choice, only the first option is visible.
  const shown = line.replace(/\$\{\d+\|([^,|]*)[^|]*\|\}/g, '$1').replace(/\$\{\d+:/g, '');
  if (shown.length <= LINE && !line.includes('\n')) return line;
  return `{\n${members.map((member) => `\t${member.replaceAll('\n', '\n\t')}`).join(',\n')}\n}`;
}
