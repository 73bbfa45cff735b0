/** Snippets of starting values, from names of the project, and from the examples, defaults and bounds of specs. */
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import type { Expansion, Registry } from '../../language/analysis/registry.js';
import { escapeSnippet } from './edit.js';
import { withChoices } from './variants.js';

/** Longer lines are broken. */
const LINE = 76;

/** Where values come from that nothing else says. */
export interface SnippetSources {
  /** A name for a field that refers to something; undefined if there is none. */
  readonly suggest?: (field: FieldNode) => Json | undefined;
  /** Only what is required is written, and nothing of examples. */
  readonly isBare?: boolean;
}

interface SnippetState extends SnippetSources {
  readonly registry: Registry;
  next: number;
}

/** `given`: the part of the value that is already known; `first`: number of the first tab stop. */
export const valueSnippet = (
  registry: Registry,
  field: FieldNode,
  given?: Json,
  first = 1,
  sources: SnippetSources = {},
): string => writeValue({ registry, next: first, ...sources }, field, given);

export const jsonSnippet = (registry: Registry, json: Json): string => writeJson({ registry, next: 1 }, json);

/** Members of an object without its braces, one per line. */
export const membersSnippet = (
  registry: Registry,
  field: FieldNode,
  given: JsonObject,
  sources: SnippetSources = {},
): string => writeMembers({ registry, next: 1, ...sources }, field, given).join(',\n');

function writeValue(writing: SnippetState, field: FieldNode, given: Json | undefined): string {
  const { registry } = writing;
  const { values, meta } = field;
  const isFree = writing.isBare === true && (field.type === 'any' || (field.type === 'value' && field.inner === null));
  const known = writing.suggest?.(field) ?? (isFree ? undefined : given) ?? getExample(writing, field) ?? meta.default;
  if (values !== null && values.length > 0) return writeChoice(writing, moveToFront(values, known));
  if (meta.plugin !== undefined && field.type === 'string') {
    const names = moveToFront(registry.names(meta.plugin), known);
    return names.length > 0 ? writeChoice(writing, names) : writeScalar(writing, '');
  }
  switch (field.type) {
    case 'boolean':
      return writeChoice(writing, moveToFront([true, false], given ?? (meta.default === true ? false : true)));
    case 'number':
      return writeScalar(writing, typeof known === 'number' ? known : (field.bounds.min ?? 0));
    case 'string':
      return writeScalar(writing, typeof known === 'string' ? known : '');
    case 'array':
      return writeList(writing, field, given);
    case 'object': {
      if (typeof given === 'string') return writeScalar(writing, given);
      const members = writeMembers(writing, field, given);
      return members.length === 0 ? `{${writeTabStop(writing, '')}}` : wrapInBraces(members);
    }
    case 'record':
      return writeRecord(writing, field, known);
    case 'value':
      if (known !== undefined) return writeJson(writing, known);
      return field.inner === null ? writeTabStop(writing, '{}') : writeValue(writing, field.inner, undefined);
    case 'either': {
      const form =
        field.options.find(({ type }) => known !== undefined && type === getJsonType(known)) ?? field.options[0];
      return form === undefined ? writeTabStop(writing, '""') : writeValue(writing, form, known);
    }
    case 'any':
      return known === undefined ? writeTabStop(writing, '""') : writeJson(writing, known);
  }
}

const getExample = ({ isBare }: SnippetState, { meta }: FieldNode): Json | undefined =>
  isBare === true ? undefined : meta.examples?.[0];

const getJsonType = (json: Json): string => (Array.isArray(json) ? 'array' : json === null ? 'null' : typeof json);

function writeList(writing: SnippetState, field: FieldNode, given: Json | undefined): string {
  const { inner, bounds, required } = field;
  const name = inner === null || inner.type === 'object' ? undefined : writing.suggest?.(inner);
  const named = name === undefined ? undefined : [name];
  const example = named ?? given ?? (required || inner?.type !== 'object' ? getExample(writing, field) : undefined);
  if (Array.isArray(example) && example.length > 0) {
    const items = (example as readonly Json[]).map((item) =>
      inner === null ? writeJson(writing, item) : writeValue(writing, inner, item),
    );
    return `[${items.join(', ')}]`;
  }
  if (inner?.type !== 'object') {
    const isNeeded = (bounds.min ?? 0) > 0;
    return isNeeded && inner !== null ? `[${writeValue(writing, inner, undefined)}]` : `[${writeTabStop(writing, '')}]`;
  }
  // A union's variant is chosen in the next completion.
  const isUnion = inner.parts.some((slot) =>
    writing.registry.listKinds(slot).some(({ select }) => select.by === 'field'),
  );
  return isUnion ? `[{${writeTabStop(writing, '')}}]` : `[${writeValue(writing, inner, undefined)}]`;
}

function writeMembers(writing: SnippetState, field: FieldNode, given: Json | undefined): string[] {
  const chosen = withChoices(writing.registry, field, isObject(given) ? given : {});
  const expansion = writing.registry.expand(field, (key) => chosen[key]);
  // Chosen values are no tab stops, because the other fields depend on them.
  const settled = new Set(
    listSelectors(writing.registry, field).filter((name) => isObject(given) && Object.hasOwn(given, name)),
  );
  const isLeftOut = (name: string, { required }: FieldNode): boolean =>
    writing.isBare === true && !required && !settled.has(name) && !isOneOfChoice(expansion, name);
  const names = [...expansion.fields].filter(
    ([name, { field: own }]) => isWritten(expansion, chosen, name, own) && !isLeftOut(name, own),
  );
  return names.map(([name, { field: own }]) => {
    const text = settled.has(name)
      ? escapeSnippet(JSON.stringify(chosen[name]))
      : writeValue(writing, own, chosen[name]);
    return `${JSON.stringify(name)}: ${text}`;
  });
}

const listSelectors = (registry: Registry, { parts }: FieldNode): string[] =>
  parts.flatMap((slot) =>
    registry.listKinds(slot).flatMap(({ select }) => (select.by === 'field' ? [select.field] : [])),
  );

const isOneOfChoice = ({ choices }: Expansion, name: string): boolean =>
  choices.some(({ names }) => names.includes(name));

const isWritten = ({ instead }: Expansion, given: JsonObject, name: string, { required }: FieldNode): boolean =>
  Object.hasOwn(given, name) || (required && instead.get(name)?.some((key) => Object.hasOwn(given, key)) !== true);

function writeRecord(writing: SnippetState, { inner }: FieldNode, given: Json | undefined): string {
  if (!isObject(given)) return `{${writeTabStop(writing, '')}}`;
  const members = Object.entries(given).map(([name, json]) => {
    const key = writeScalar(writing, name);
    return `${key}: ${inner === null ? writeJson(writing, json) : writeValue(writing, inner, json)}`;
  });
  return wrapInBraces(members);
}

/** Writes the JSON with a tab stop at each scalar. */
function writeJson(writing: SnippetState, json: Json): string {
  if (Array.isArray(json)) return `[${(json as readonly Json[]).map((item) => writeJson(writing, item)).join(', ')}]`;
  if (isObject(json)) {
    return wrapInBraces(
      Object.entries(json).map(([key, one]) => `${escapeSnippet(JSON.stringify(key))}: ${writeJson(writing, one)}`),
    );
  }
  return writeScalar(writing, json as string | number | boolean | null);
}

/** Quotes stay outside of the tab stop, so typing replaces only the text. */
function writeScalar(writing: SnippetState, json: string | number | boolean | null): string {
  if (typeof json !== 'string') return writeTabStop(writing, JSON.stringify(json));
  return `"${writeTabStop(writing, JSON.stringify(json).slice(1, -1))}"`;
}

function writeTabStop(writing: SnippetState, text: string): string {
  const number = writing.next++;
  return text === '' ? `$${number}` : `\${${number}:${escapeSnippet(text)}}`;
}

function writeChoice(writing: SnippetState, values: readonly (string | number | boolean)[]): string {
  const texts = values.map((value) => JSON.stringify(value).replace(/[\\,|]/g, (character) => `\\${character}`));
  return `\${${writing.next++}|${texts.join(',')}|}`;
}

const moveToFront = <T extends string | number | boolean>(values: readonly T[], first: Json | undefined): T[] => [
  ...values.filter((value) => value === first),
  ...values.filter((value) => value !== first),
];

function wrapInBraces(members: readonly string[]): string {
  const line = `{ ${members.join(', ')} }`;
  // Of a choice, only the first option is visible.
  const shown = line.replace(/\$\{\d+\|([^,|]*)[^|]*\|\}/g, '$1').replace(/\$\{\d+:/g, '');
  if (shown.length <= LINE && !line.includes('\n')) return line;
  return `{\n${members.map((member) => `\t${member.replaceAll('\n', '\n\t')}`).join(',\n')}\n}`;
}
