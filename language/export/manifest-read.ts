/** Reads a manifest. Manifests are untrusted: everything is validated and limited in size, and nothing is executed. */
import type { ConfigSection, FactSpec, Host, Select } from '../../contract/kind.js';
import type { CounterExample, Example, FactValue } from '../../contract/plugin.js';
import type { Invented, Mistaken, Right } from '../../contract/mistaken.js';
import type { CodeEntry } from '../../contract/problem.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { linearPattern, type PatternError } from '../strings/linear-pattern.js';
import { NAME_FLOWS } from '../../contract/name-flow.js';
import type { Bounds, FieldNode } from '../schema/field-node.js';
import type { FieldMeta, Refers, SymbolKind, MemberNames, NamePlace } from '../../contract/field-meta.js';
import * as data from './data-reader.js';
import { MANIFEST_FORMAT, type Hosted, type Manifest, type ManifestKind, type ManifestPlugin } from './manifest.js';

const CAPS: data.Caps = { characters: 2_000_000, depth: 64, text: 20_000, items: 2_000 };
const LONGEST_PATTERN = 1_000;

const { text, flag, numeric, any, list, map, or, nullable, record, oneOf, matching } = data;
/** Reads an optional value as undefined if absent. */
const maybe = <T>(read: data.Read<T>): data.Read<T | undefined> => or(read, undefined);

const word = matching(/^[A-Za-z][A-Za-z0-9_-]*$/, 'a plain word');
const version = matching(/^\d+\.\d+\.\d+$/, 'a version');
const name = matching(/^[A-Za-z0-9_.$ -]+$/, 'a name');

const pattern: data.Read<string> = (place) => {
  const source = text(place);
  if (source.length > LONGEST_PATTERN)
    throw new data.DataError(place.at, `is longer than ${LONGEST_PATTERN} characters`);
  try {
    linearPattern(source);
  } catch (error) {
    throw new data.DataError(place.at, (error as PatternError).message);
  }
  return source;
};

const bounds = record<Bounds>({
  min: maybe(numeric),
  max: maybe(numeric),
  above: maybe(numeric),
  below: maybe(numeric),
  length: maybe(numeric),
  integer: maybe(oneOf(true)),
  pattern: maybe(pattern),
});

const deprecated = record<NonNullable<FieldMeta['deprecated']>>({
  since: text,
  message: text,
  replacedBy: maybe(text),
});

/** A record, so that the compiler reports a missing kind. */
const SYMBOLS: Readonly<Record<SymbolKind, true>> = {
  resource: true,
  action: true,
  model: true,
  'model-field': true,
  'payload-field': true,
  name: true,
  claim: true,
  secret: true,
  generated: true,
  value: true,
};
const symbol = oneOf(...(Object.keys(SYMBOLS) as SymbolKind[]));
const when = record<NonNullable<Refers['when']>>({ field: text, is: text });
const firm = record<NonNullable<Refers['firm']>>({ field: text, is: text, without: text });
const refers = record<Refers>({
  symbol,
  when: maybe(when),
  named: maybe(flag),
  soft: maybe(flag),
  firm: maybe(firm),
  within: maybe(text),
  edge: maybe(flag),
  feeds: maybe(flag),
  extracted: maybe(flag),
});

const right: data.Read<string | Right> = (place) =>
  typeof place.json === 'string'
    ? text(place)
    : record<Right>({ say: text, rename: maybe(text), means: maybe(text), instead: maybe(map(text)) })(place);
const mistaken: data.Read<Mistaken> = map(right);
const names: data.Read<string | readonly string[]> = (place) =>
  typeof place.json === 'string' ? text(place) : list(text)(place);
const beside = record<NonNullable<FieldMeta['beside']>>({
  connection: maybe(text),
  joins: maybe(text),
  unique: maybe(text),
  timestamps: maybe(names),
  softDelete: maybe(text),
  each: maybe(text),
});

const members = record<MemberNames>({
  start: text,
  places: map(
    record<NamePlace>({
      fields: maybe(text),
      made: maybe(text),
      words: maybe(map(text)),
      behind: maybe(map(text)),
      text: maybe(oneOf('path', 'field', 'collection')),
      flows: maybe(map(oneOf(...NAME_FLOWS))),
      elsewhere: maybe(record<NonNullable<NamePlace['elsewhere']>>({ named: text, about: list(text) })),
    }),
  ),
});

const meta = record<FieldNode['meta']>({
  doc: text,
  examples: maybe(list(any)),
  since: maybe(text),
  deprecated: maybe(deprecated),
  secret: maybe(flag),
  verbatim: maybe(flag),
  purpose: maybe(text),
  roots: maybe(list(word)),
  leaves: maybe(flag),
  afterwards: maybe(flag),
  language: maybe(oneOf('sql', 'collection', 'cron', 'zone')),
  path: maybe(oneOf('folder', 'file')),
  store: maybe(word),
  binds: maybe(text),
  complete: maybe(record<NonNullable<FieldMeta['complete']>>({ source: word, of: maybe(word) })),
  enumDocs: maybe(map(text)),
  itemLabel: maybe(text),
  unit: maybe(text),
  advanced: maybe(flag),
  default: maybe(any),
  plugin: maybe(word),
  declares: maybe(symbol),
  late: maybe(flag),
  refers: maybe(refers),
  form: maybe(text),
  short: maybe(
    record<NonNullable<FieldMeta['short']>>({ string: maybe(text), number: maybe(text), boolean: maybe(text) }),
  ),
  mistaken: maybe(mistaken),
  beside: maybe(beside),
  members: maybe(members),
});

const TYPES = ['object', 'array', 'string', 'number', 'boolean', 'record', 'value', 'either', 'any'] as const;

const literal: data.Read<string | number | boolean> = (place) => {
  const { json } = place;
  if (typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean') return json;
  throw new data.DataError(place.at, 'must be text, a number, true or false');
};

/** Refers to itself, so `inner` and `fields` are resolved when called. */
const node: data.Read<FieldNode> = (place) =>
  Object.freeze(
    record<FieldNode>({
      type: oneOf(...TYPES),
      meta,
      required: or(flag, false),
      nullable: or(flag, false),
      values: or(list(literal), null),
      bounds: or(bounds, {}),
      fields: (inside) => Object.freeze(or(map(node), Object.create(null) as Record<string, FieldNode>)(inside)),
      parts: or(list(name), []),
      inner: or(node, null),
      options: or(list(node), []),
    })(place),
  );

const fact: data.Read<FactValue> = (place) => (Array.isArray(place.json) ? list(text)(place) : literal(place));

const factSpec = record<FactSpec>({
  doc: text,
  type: oneOf('string', 'number', 'boolean', 'list'),
  required: flag,
  oneOf: maybe(list(text)),
});

const code = record<CodeEntry>({
  title: text,
  message: text,
  help: text,
  severity: maybe(oneOf('error', 'warning', 'hint')),
  tag: maybe(oneOf('deprecated', 'unnecessary')),
  status: maybe(numeric),
  certainty: maybe(oneOf('certain', 'likely', 'advice')),
  plugins: maybe(oneOf('all')),
});

const object: data.Read<JsonObject> = (place) => ({ ...map<Json>(any)(place) });
const host = record<Host>({ file: oneOf('resource', 'model', 'config'), json: object, at: text });
const example = record<Hosted<Example>>({ title: text, json: any, host });
const counterExample = record<Hosted<CounterExample>>({ title: text, json: any, code: name, at: text, host });

const select: data.Read<Select> = (place) => {
  const { by } = record<{ by: Select['by']; field: Json | undefined; pick: Json | undefined }>({
    by: oneOf('always', 'field', 'key', 'name', 'root'),
    field: maybe(any),
    pick: maybe(any),
  })(place);
  if (by === 'field') return record<Select & { by: 'field' }>({ by: oneOf('field'), field: text })(place);
  if (by === 'key') return record<Select & { by: 'key' }>({ by: oneOf('key'), pick: oneOf('one', 'many') })(place);
  return record<{ by: typeof by }>({ by: oneOf(by) })(place);
};

const config = record<Omit<ConfigSection, 'default'>>({
  field: text,
  doc: text,
  aliases: maybe(list(text)),
  many: flag,
  must: maybe(text),
  keeps: maybe(flag),
  models: maybe(record<NonNullable<ConfigSection['models']>>({ references: flag, key: maybe(text) })),
  load: oneOf('always', 'when-required'),
});

const kind = record<ManifestKind>({
  kind: word,
  title: text,
  summary: text,
  slots: list(name),
  select,
  common: nullable(node),
  facts: map(factSpec),
  expected: map(map(list(name))),
  mistaken: map(mistaken),
  handle: list(word),
  config: nullable(config),
});

const plugin = record<ManifestPlugin>({
  kind: word,
  name: word,
  since: version,
  status: oneOf('stable', 'experimental', 'deprecated'),
  deprecated: nullable(deprecated),
  summary: text,
  details: text,
  facts: map(fact),
  slots: map(node),
  requires: list(text),
  errors: map(code),
  invented: list(record<Invented>({ pattern, say: text })),
  aliases: or(list(text), []),
  examples: list(example),
  counterExamples: list(counterExample),
  hasCheck: flag,
  runtime: nullable(
    matching(/^(?!.*(^|\/)\.\.?(\/|$))[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/, 'a path below the manifest'),
  ),
});

const manifest = record<Manifest>({
  format: oneOf(MANIFEST_FORMAT),
  lintel: text,
  kinds: list(kind),
  plugins: list(plugin),
});

/** Throws DataError with the location. */
export const readManifest = (source: string): Manifest => manifest({ json: data.readJson(source, CAPS), at: '' });
