/**
 * The fields that an object may have, from its schema and plugins. Reads only the selected plugins and present keys,
 * so equal selections share a cached result.
 */
import { asText, type Json } from '../../contract/json.js';
import type { Kind } from '../../contract/kind.js';
import type { Correction } from '../../contract/common-mistakes.js';
import type { PluginId } from '../../contract/plugin.js';
import type { FieldNode } from '../schema/field-node.js';
import { addMissingPlugins, addCommonMistakes } from './missing-plugins.js';
import { GRAMMAR } from './grammar.js';
import type { Expansion, KeyChoice, OwnedField, Registry, MissingPlugin } from './registry.js';

/** The reads that an expansion depends on. */
export interface Reader {
  /** Empty if the name is unknown. */
  chosen(kind: Kind): string;
  has(key: string): boolean;
}

type Read = (key: string) => Json | undefined;

/** A node of a decision tree: a read with the next step per result, or the expansion. */
interface CacheStep {
  question: ((read: Reader) => string) | null;
  readonly answers: Map<string, CacheStep>;
  expansion: Expansion | null;
}

const createStep = (): CacheStep => ({ question: null, answers: new Map(), expansion: null });

/** Cached expansions. */
const MOST = 1000;

export function createExpander(
  registry: Registry,
  commons: ReadonlyMap<string, FieldNode>,
): (field: FieldNode, read: Read) => Expansion {
  const known = new WeakMap<FieldNode, CacheStep>();
  let count = 0;
  return (field, read) => {
    const reader = createReader(registry, read);
    let step = known.get(field) ?? createStep();
    known.set(field, step);
    while (step.question !== null) {
      const next = step.answers.get(step.question(reader));
      if (next === undefined) break;
      step = next;
    }
    if (step.expansion !== null) return step.expansion;
    const asked: [question: (read: Reader) => string, answer: string][] = [];
    const expansion = buildExpansion(registry, commons, field, createRecordingReader(reader, asked));
    if (++count <= MOST) storeExpansion(known.get(field) ?? createStep(), asked, expansion);
    return expansion;
  };
}

function createReader(registry: Registry, read: Read): Reader {
  return {
    chosen: ({ kind, select, expected = {} }) => {
      const name = select.by === 'field' ? asText(read(select.field)) : '';
      return registry.plugin(kind, name) !== undefined || Object.hasOwn(expected, name) ? name : '';
    },
    has: (key) => read(key) !== undefined,
  };
}

function createRecordingReader(reader: Reader, asked: [question: (read: Reader) => string, answer: string][]): Reader {
  const recordAnswer = (question: (read: Reader) => string): string => {
    const answer = question(reader);
    asked.push([question, answer]);
    return answer;
  };
  return {
    chosen: (kind) => recordAnswer((read) => read.chosen(kind)),
    has: (key) => recordAnswer((read) => String(read.has(key))) === 'true',
  };
}

function storeExpansion(
  first: CacheStep,
  asked: readonly [(read: Reader) => string, string][],
  expansion: Expansion,
): void {
  let step = first;
  for (const [question, answer] of asked) {
    step.question ??= question;
    const next = step.answers.get(answer) ?? createStep();
    step.answers.set(answer, next);
    step = next;
  }
  step.expansion = expansion;
}

interface Draft {
  readonly fields: Map<string, OwnedField>;
  readonly choices: KeyChoice[];
  readonly selected: PluginId[];
  readonly tolerated: Set<string>;
  readonly mistaken: Map<string, Correction>;
  readonly expected: Map<string, MissingPlugin>;
  readonly instead: Map<string, string[]>;
}

function buildExpansion(
  registry: Registry,
  commons: ReadonlyMap<string, FieldNode>,
  field: FieldNode,
  read: Reader,
): Expansion {
  const draft: Draft = {
    fields: new Map(),
    choices: [],
    selected: [],
    tolerated: new Set(),
    mistaken: new Map(),
    expected: new Map(),
    instead: new Map(),
  };
  addFields(registry, commons, draft, field, null, read);
  const required = [...draft.fields].filter(([, owned]) => owned.field.required);
  return { ...draft, required, always: listAlwaysApplied(registry, field) };
}

function listAlwaysApplied(registry: Registry, { parts }: FieldNode): PluginId[] {
  return parts.flatMap((slot) =>
    registry
      .listKinds(slot)
      .filter(({ select }) => select.by === 'always')
      .flatMap(({ kind }) => registry.names(kind).map((name): PluginId => `${kind}:${name}`))
      .filter((id) => registry.plugins.get(id)?.facts?.applies === 'always' && registry.schema(id, slot)),
  );
}

function addFields(
  registry: Registry,
  commons: ReadonlyMap<string, FieldNode>,
  draft: Draft,
  source: FieldNode,
  plugin: PluginId | null,
  read: Reader,
): void {
  for (const [name, field] of Object.entries(source.fields)) draft.fields.set(name, { field, plugin });
  addCommonMistakes(draft, source.meta.mistaken);
  for (const slot of source.parts) {
    for (const [name, field] of Object.entries(GRAMMAR[slot]?.fields ?? {}))
      draft.fields.set(name, { field, plugin: null });
    addCommonMistakes(draft, GRAMMAR[slot]?.meta.mistaken);
    for (const kind of registry.listKinds(slot)) addKind(registry, commons, draft, kind, slot, read);
  }
}

function addKind(
  registry: Registry,
  commons: ReadonlyMap<string, FieldNode>,
  draft: Draft,
  kind: Kind,
  slot: string,
  read: Reader,
): void {
  const ids = registry.names(kind.kind).map((name) => `${kind.kind}:${name}`);
  addMissingPlugins(registry, draft, kind, slot, (one) => read.chosen(one));
  const common = commons.get(kind.kind);
  if (common !== undefined) addFields(registry, commons, draft, common, null, read);
  const add = (id: PluginId): void => {
    const schema = registry.schema(id, slot);
    if (schema !== undefined) addFields(registry, commons, draft, schema, id, read);
  };
  switch (kind.select.by) {
    case 'always':
      ids.forEach(add);
      for (const id of ids) addAlternatives(registry, draft, id, slot);
      return;
    case 'field': {
      draft.fields.set(kind.select.field, { field: selectorField(kind), plugin: null });
      const id = `${kind.kind}:${read.chosen(kind)}`;
      if (registry.plugins.has(id)) {
        draft.selected.push(id);
        add(id);
      } else addIgnoredKeys(registry, draft, ids, slot);
      return;
    }
    case 'key': {
      const names = registry.names(kind.kind);
      for (const name of names) {
        const schema = registry.schema(`${kind.kind}:${name}`, slot);
        if (schema !== undefined) draft.fields.set(name, { field: schema, plugin: `${kind.kind}:${name}` });
      }
      draft.choices.push({ kind, names, present: names.filter((name) => read.has(name)) });
      return;
    }
    case 'name':
    case 'root':
      return;
  }
}

function addAlternatives(registry: Registry, draft: Draft, id: PluginId, slot: string): void {
  const named = registry.plugins.get(id)?.facts?.instead;
  if (named === undefined) return;
  const keys = Object.keys(registry.schema(id, slot)?.fields ?? {});
  for (const name of named) draft.instead.set(name, [...(draft.instead.get(name) ?? []), ...keys]);
}

function addIgnoredKeys(registry: Registry, draft: Draft, ids: readonly PluginId[], slot: string): void {
  for (const id of ids) {
    const schema = registry.schema(id, slot);
    for (const key of Object.keys(schema?.fields ?? {})) draft.tolerated.add(key);
    for (const part of schema?.parts ?? []) {
      for (const kind of registry.listKinds(part)) {
        if (kind.select.by === 'key') registry.names(kind.kind).forEach((name) => draft.tolerated.add(name));
      }
    }
  }
}

const selectorField = (kind: Kind): FieldNode => ({
  type: 'string',
  meta: { doc: kind.summary, plugin: kind.kind },
  required: true,
  nullable: false,
  values: null,
  bounds: {},
  fields: {},
  parts: [],
  inner: null,
  options: [],
});
