/** Values that a new member starts with, the most likely first: names of the project, what other definitions write, the example, none. */
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import { memoize } from '../../language/analysis/memoize.js';
import type { Definition } from '../../language/analysis/model.js';
import { toJson, type LocatedNode } from '../../language/source/tree.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { namesFor, keysFor } from './names/index.js';
import { getDefinitionId, listDefinitions } from './names/name-source.js';
import { valueSnippet, type SnippetSources } from './snippets.js';

/** Names that are tried for one field. */
const NAMES = 4;
/** Values of other definitions that are tried. */
const COPIES = 3;
/** Definitions that are searched for values. */
const SEARCHED = 200;

interface ReadableModel {
  readonly key: string;
  readonly columns: readonly string[];
  readonly statement: string;
}

interface StartingValueOptions {
  readonly field: FieldNode;
  /** Key of the member; absent for an item of a list or a map. */
  readonly name?: string | undefined;
  readonly given?: Json | undefined;
  /** The caret is at the value, not at its key. */
  readonly isHere?: boolean;
  /** The member that lists what is returned, if a statement reads something. */
  readonly returned?: string | undefined;
}

export function listStartingValues(
  view: DocumentContext,
  site: CursorContext,
  { field, name, given, isHere = false, returned }: StartingValueOptions,
): [string, () => string[]] {
  const { registry } = view;
  const write = (sources?: SnippetSources, value = given): string => valueSnippet(registry, field, value, 1, sources);
  const writeCopies = (): string[] =>
    name === undefined ? [] : listWritten(view, site, name, isHere).map((json) => write({}, json));
  const writeWith = (sources: SnippetSources = {}): string => write(sources);
  const [first, ...rest] = listNameSources(view, site);
  const models = returned === undefined || !isObject(given) ? [] : listReadableModels(view.recentAnalysis);
  const writeReturned = (source: SnippetSources | undefined, i: number): string[] => {
    const columns = pickByIndex(models, i)?.columns;
    return columns === undefined ? [] : [write(source, { ...(given as JsonObject), [returned ?? '']: columns })];
  };
  return [
    write(first),
    () => [
      ...[first, ...rest].flatMap(writeReturned),
      ...rest.map(writeWith),
      ...writeCopies(),
      write(),
      ...[first, ...rest, {}].map((one) => writeWith({ ...one, isBare: true })),
    ],
  ];
}

const listNameSources = (view: DocumentContext, site: CursorContext): SnippetSources[] =>
  Array.from({ length: NAMES }, (_, i) => createSuggest(view, site, i));

/** Other texts where the project has no example: with each name, and with required members only. */
export function listOtherTexts(
  view: DocumentContext,
  site: CursorContext,
  write: (sources: SnippetSources) => string,
): string[] {
  const named = listNameSources(view, site);
  return [...named, ...[...named, {}].map((one) => ({ ...one, isBare: true }))].map(write);
}

/** Suggests the name at this place of each list of names. */
function createSuggest(view: DocumentContext, site: CursorContext, index: number): SnippetSources {
  const known = new Map<FieldNode, Json | undefined>();
  let key: string | null = null;
  const suggestValue = (field: FieldNode): Json | undefined => {
    const models = field.meta.language === 'sql' ? listReadableModels(view.recentAnalysis) : [];
    const model = pickByIndex(models, index);
    if (model !== undefined) {
      ({ key } = model);
      return model.statement;
    }
    // The statement comes before its parameters.
    if (key !== null && field.meta.verbatim === true && field.meta.refers?.symbol === 'name')
      return `${formatPayloadPrefix(view)}${key}`;
    return suggestName(field);
  };
  const suggestName = (field: FieldNode): Json | undefined => {
    if (known.has(field)) return known.get(field);
    const names = isNamed(field) ? namesFor(view, site, field).map(({ name }) => name) : [];
    const keys =
      field.type === 'record' && field.inner?.type === 'object'
        ? keysFor(view, site, field).map(({ name }) => ({ [name]: {} }))
        : [];
    const all: Json[] = [...names, ...keys].filter((one) => one !== '');
    const found = pickByIndex(all, index);
    known.set(field, found);
    return found;
  };
  return { suggest: suggestValue };
}

const pickByIndex = <T>(all: readonly T[], index: number): T | undefined => all[Math.min(index, all.length - 1)];

/** What precedes the name of a field that the caller sends. */
function formatPayloadPrefix({ registry }: DocumentContext): string {
  const reader = registry
    .names('accessor')
    .find((name) => registry.plugin('accessor', name)?.facts?.reads === 'payload');
  return reader === undefined ? '' : `$${reader}.`;
}

const listReadableModels = memoize(({ models }: Analysis): readonly ReadableModel[] =>
  models.flatMap(({ table, fields }) => {
    const key = fields.find(({ value }) => value['primary_key'] === true)?.name;
    const columns = fields.flatMap(({ name, value }) => (value['secret'] === true ? [] : [name]));
    return key === undefined || ![table, ...columns].every((name) => PLAIN_NAME.test(name))
      ? []
      : [{ key, columns, statement: `SELECT ${columns.join(', ')} FROM ${table} WHERE ${key} = $1` }];
  }),
);

/** Needs no quotes. */
const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/;

const isNamed = ({ type, meta }: FieldNode): boolean =>
  (type === 'string' || type === 'number' || type === 'value') &&
  (meta.refers !== undefined || meta.complete !== undefined || meta.language === 'collection');

/** What other definitions write at this place, the most frequent first. */
function listWritten(view: DocumentContext, site: CursorContext, name: string, isHere: boolean): Json[] {
  const path = site.levels.slice(1).map(({ key }) => key);
  const keys = isHere ? path : [...path, name];
  const counts = new Map<string, number>();
  const visit = (node: LocatedNode, [key, ...rest]: readonly (string | number | null)[]): void => {
    if (key === undefined) {
      const text = JSON.stringify(toJson(node));
      counts.set(text, (counts.get(text) ?? 0) + 1);
    } else if (typeof key === 'number') for (const item of node.items) visit(item, rest);
    else for (const member of node.members) if (member.key === key && member.value !== null) visit(member.value, rest);
  };
  const isSameSort = ({ sort }: Definition): boolean => sort === site.sort;
  for (const { node } of listDefinitions({ view, site }).filter(isSameSort).slice(0, SEARCHED)) visit(node, keys);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, COPIES)
    .map(([text]) => JSON.parse(text) as Json);
}

/** `wanted`, or with the first number that makes it free. */
export function findFreeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let i = 2; taken.has(name); i++) name = `${wanted}-${i}`.replace(/-(?=\d+$)/, /^\w+$/.test(wanted) ? '_' : '-');
  return name;
}

/** A free id and a free path, after the name of the file. */
export function nameResource(view: DocumentContext): { readonly id: string; readonly resource: string } {
  const all = view.project.getRecentSnapshot().analysis.definitions.filter(({ sort }) => sort === 'resource');
  const others = all.filter(({ doc }) => doc.file !== view.doc.file);
  const base = (view.name.split(/[\\/]/).pop() ?? '').replace(/(\.resource)?\.jsonc?$/, '');
  const word = base.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'new';
  const taken = new Set(others.flatMap((one) => [getDefinitionId(one), getPath(one)]));
  const id = findFreeName(word.toLowerCase(), taken);
  return { id, resource: id };
}

const getPath = ({ node }: Definition): string =>
  String(node.members.find(({ key }) => key === 'resource')?.value?.scalar ?? '');
