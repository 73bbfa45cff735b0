/** Reads a manifest. Manifests are untrusted: everything is validated and limited in size. */
import type { DocumentForm } from '../../contract/document-form.js';
import type { ConfigSection, FactSpec, Host, Select } from '../../contract/kind.js';
import type { FactValue } from '../../contract/plugin.js';
import type { CounterExample, Example } from '../../contract/plugin-spec.js';
import type { InventedPattern, CommonMistakes, Correction } from '../../contract/common-mistakes.js';
import type { CodeEntry } from '../../contract/problem.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { compileLinearPattern, type PatternError } from '../strings/linear-pattern.js';
import { NAME_FLOWS } from '../../contract/name-flow.js';
import type { Bounds, FieldNode } from '../schema/field-node.js';
import type { FieldMeta, Refers, SymbolKind, MemberNames, NamePlace } from '../../contract/field-meta.js';
import * as data from './data-reader.js';
import {
  MANIFEST_FORMAT,
  type HostedExample,
  type Manifest,
  type ManifestKind,
  type ManifestPlugin,
} from './manifest.js';

const CAPS: data.Caps = { characters: 2_000_000, depth: 64, text: 20_000, items: 2_000 };
const LONGEST_PATTERN = 1_000;

const { text, flag, numeric, any, list, map, or, nullable, record, oneOf, matching } = data;
/** Reads an optional value as undefined if absent. */
const readOptional = <T>(read: data.Read<T>): data.Read<T | undefined> => or(read, undefined);

const word = matching(/^[A-Za-z][A-Za-z0-9_-]*$/, 'a plain word');
const pluginName = matching(/^\$?[A-Za-z][A-Za-z0-9_-]*$/, 'a plain word');
const version = matching(/^\d+\.\d+\.\d+$/, 'a version');
const name = matching(/^[A-Za-z0-9_.$ -]+$/, 'a name');

const readPattern: data.Read<string> = (place) => {
  const source = text(place);
  if (source.length > LONGEST_PATTERN)
    throw new data.DataError(place.at, `is longer than ${LONGEST_PATTERN} characters`);
  try {
    compileLinearPattern(source);
  } catch (error) {
    throw new data.DataError(place.at, (error as PatternError).message);
  }
  return source;
};

const bounds = record<Bounds>({
  min: readOptional(numeric),
  max: readOptional(numeric),
  above: readOptional(numeric),
  below: readOptional(numeric),
  length: readOptional(numeric),
  integer: readOptional(oneOf(true)),
  pattern: readOptional(readPattern),
});

const deprecated = record<NonNullable<FieldMeta['deprecated']>>({
  since: text,
  message: text,
  replacedBy: readOptional(text),
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
  'issued-claim': true,
  secret: true,
  generated: true,
  value: true,
  'cache-key': true,
  room: true,
  event: true,
};
const symbol = oneOf(...(Object.keys(SYMBOLS) as SymbolKind[]));
const when = record<NonNullable<Refers['when']>>({ field: text, is: text });
const firm = record<NonNullable<Refers['firm']>>({ field: text, is: text, without: text });
const refers = record<Refers>({
  symbol,
  when: readOptional(when),
  named: readOptional(flag),
  soft: readOptional(flag),
  firm: readOptional(firm),
  within: readOptional(text),
  edge: readOptional(flag),
  feeds: readOptional(flag),
  extracted: readOptional(flag),
});

const readCorrection: data.Read<string | Correction> = (place) =>
  typeof place.json === 'string'
    ? text(place)
    : record<Correction>({
        say: text,
        rename: readOptional(text),
        means: readOptional(text),
        instead: readOptional(map(text)),
      })(place);
const mistaken: data.Read<CommonMistakes> = map(readCorrection);
const readNames: data.Read<string | readonly string[]> = (place) =>
  typeof place.json === 'string' ? text(place) : list(text)(place);
const beside = record<NonNullable<FieldMeta['beside']>>({
  connection: readOptional(text),
  unique: readOptional(text),
  timestamps: readOptional(readNames),
  softDelete: readOptional(text),
  each: readOptional(text),
});

const documents = record<DocumentForm>({
  ...{ written: map(text), bare: text, condition: text, stages: text, match: text },
  ...{ keeping: list(text), plain: list(text), shaping: list(text), joining: map(text) },
  ...{ operators: list(text), listOperators: list(text) },
});

const members = record<MemberNames>({
  start: text,
  places: map(
    record<NamePlace>({
      fields: readOptional(text),
      made: readOptional(text),
      words: readOptional(map(text)),
      behind: readOptional(map(text)),
      text: readOptional(oneOf('path', 'field', 'collection')),
      flows: readOptional(map(oneOf(...NAME_FLOWS))),
      elsewhere: readOptional(record<NonNullable<NamePlace['elsewhere']>>({ named: text, about: list(text) })),
    }),
  ),
});

const meta = record<FieldNode['meta']>({
  doc: text,
  examples: readOptional(list(any)),
  since: readOptional(text),
  deprecated: readOptional(deprecated),
  secret: readOptional(flag),
  verbatim: readOptional(flag),
  matched: readOptional(flag),
  purpose: readOptional(text),
  roots: readOptional(list(word)),
  leaves: readOptional(flag),
  sent: readOptional(flag),
  afterwards: readOptional(flag),
  language: readOptional(oneOf('sql', 'collection', 'cron', 'zone')),
  path: readOptional(oneOf('folder', 'file', 'sibling')),
  store: readOptional(word),
  binds: readOptional(text),
  documents: readOptional(documents),
  complete: readOptional(record<NonNullable<FieldMeta['complete']>>({ source: word, of: readOptional(word) })),
  enumDocs: readOptional(map(text)),
  itemLabel: readOptional(text),
  unit: readOptional(text),
  advanced: readOptional(flag),
  default: readOptional(any),
  plugin: readOptional(word),
  declares: readOptional(symbol),
  late: readOptional(flag),
  refers: readOptional(refers),
  form: readOptional(text),
  short: readOptional(
    record<NonNullable<FieldMeta['short']>>({
      string: readOptional(text),
      number: readOptional(text),
      boolean: readOptional(text),
    }),
  ),
  mistaken: readOptional(mistaken),
  beside: readOptional(beside),
  members: readOptional(members),
});

const TYPES = ['object', 'array', 'string', 'number', 'boolean', 'record', 'value', 'either', 'any'] as const;

const literal: data.Read<string | number | boolean> = (place) => {
  const { json } = place;
  if (typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean') return json;
  throw new data.DataError(place.at, 'must be text, a number, true or false');
};

/** Refers to itself, so `inner` and `fields` are resolved when called. */
const readNode: data.Read<FieldNode> = (place) =>
  Object.freeze(
    record<FieldNode>({
      type: oneOf(...TYPES),
      meta,
      required: or(flag, false),
      nullable: or(flag, false),
      values: or(list(literal), null),
      bounds: or(bounds, {}),
      fields: (inside) => Object.freeze(or(map(readNode), Object.create(null) as Record<string, FieldNode>)(inside)),
      parts: or(list(name), []),
      inner: or(readNode, null),
      options: or(list(readNode), []),
    })(place),
  );

const readFact: data.Read<FactValue> = (place) => (Array.isArray(place.json) ? list(text)(place) : literal(place));

const factSpec = record<FactSpec>({
  doc: text,
  type: oneOf('string', 'number', 'boolean', 'list'),
  required: flag,
  oneOf: readOptional(list(text)),
});

const code = record<CodeEntry>({
  title: text,
  message: text,
  help: text,
  severity: readOptional(oneOf('error', 'warning', 'hint')),
  tag: readOptional(oneOf('deprecated', 'unnecessary')),
  status: readOptional(numeric),
  certainty: readOptional(oneOf('certain', 'likely', 'advice')),
  cause: readOptional(list(text)),
  plugins: readOptional(oneOf('all')),
});

const object: data.Read<JsonObject> = (place) => ({ ...map<Json>(any)(place) });
const host = record<Host>({ file: oneOf('resource', 'model', 'config', 'test'), json: object, at: text });
const example = record<HostedExample<Example>>({ title: text, json: any, host });
const counterExample = record<HostedExample<CounterExample>>({ title: text, json: any, code: name, at: text, host });

const select: data.Read<Select> = (place) => {
  const { by } = record<{ by: Select['by']; field: Json | undefined; pick: Json | undefined }>({
    by: oneOf('always', 'field', 'key', 'name', 'root'),
    field: readOptional(any),
    pick: readOptional(any),
  })(place);
  if (by === 'field') return record<Select & { by: 'field' }>({ by: oneOf('field'), field: text })(place);
  if (by === 'key') return record<Select & { by: 'key' }>({ by: oneOf('key'), pick: oneOf('one', 'many') })(place);
  return record<{ by: typeof by }>({ by: oneOf(by) })(place);
};

const config = record<Omit<ConfigSection, 'default' | 'tested'>>({
  field: text,
  doc: text,
  aliases: readOptional(list(text)),
  many: flag,
  must: readOptional(text),
  keeps: readOptional(flag),
  models: readOptional(
    record<NonNullable<ConfigSection['models']>>({
      references: flag,
      key: readOptional(text),
      primary: readOptional(text),
    }),
  ),
  load: oneOf('always', 'when-required'),
});

const kind = record<ManifestKind>({
  kind: word,
  title: text,
  summary: text,
  slots: list(name),
  select,
  common: nullable(readNode),
  facts: map(factSpec),
  expected: map(map(list(name))),
  mistaken: map(mistaken),
  handle: list(word),
  config: nullable(config),
});

const plugin = record<ManifestPlugin>({
  kind: word,
  name: pluginName,
  since: version,
  status: oneOf('stable', 'experimental', 'deprecated'),
  deprecated: nullable(deprecated),
  summary: text,
  details: text,
  facts: map(readFact),
  slots: map(readNode),
  requires: list(text),
  errors: map(code),
  invented: list(record<InventedPattern>({ pattern: readPattern, say: text })),
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
  specs: readOptional(matching(/^[0-9a-f]{64}$/, 'a digest')),
  kinds: list(kind),
  plugins: list(plugin),
});

/** Throws DataError with the location. */
export const readManifest = (source: string): Manifest =>
  manifest({ json: data.parseUntrustedJson(source, CAPS), at: '' });
