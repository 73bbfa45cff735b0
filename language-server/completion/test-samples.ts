/** Samples for test files: what a step sends and can expect, rows of models, and whole tests. */
import { findSchema, getProperties, isList, listRequired } from '../../contract/forms.js';
import type { JsonSchema } from '../../contract/api.js';
import { asText, isObject, type Json, type JsonObject } from '../../contract/json.js';
import { TIMESTAMPS } from '../../contract/model.js';
import { getColumnFacts } from '../../language/analysis/checks/types.js';
import type { DataModel, ResourceModel } from '../../language/analysis/model.js';
import { findValue } from '../../language/analysis/test-tables.js';
import {
  createExpectation,
  describeTestForms,
  listSamples,
  type TestForms,
} from '../../language/export/openapi/test-forms.js';
import { sampleSchema } from '../../language/schema/sample.js';
import { toJson, type LocatedNode } from '../../language/source/tree.js';
import { fillPath } from '../../language/strings/route.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { findModelByAlias } from '../model-names.js';
import { formatShort } from './names/name-source.js';

export interface TestSample {
  /** Undefined: only the author knows a value. */
  readonly json: Json | undefined;
  readonly detail: string;
}

/** Of the place of the cursor. */
export interface TestSamples {
  readonly members: Samples;
  readonly values: readonly TestValue[];
}

type Samples = ReadonlyMap<string, TestSample>;

const NOTHING: Samples = new Map();

const ROW =
  /^(?:(?:cases\/\d+\/)?(given|expect)\/tables|cases\/\d+\/steps\/\d+\/(insert|update|delete))\/([^/]+)\/\d+(\/where|\/set)?(?:\/([^/]+))?$/;
const STEP = /^cases\/\d+\/steps\/\d+\/(request|expect)(?:\/(body|headers|path)(?:\/(.*))?)?$/;

const formatPath = ({ levels }: CursorContext): string =>
  levels
    .slice(1)
    .map(({ key }) => String(key))
    .join('/');

/** The members that the object at the cursor can have. */
export function listTestMembers(view: DocumentContext, site: CursorContext): Samples {
  const path = formatPath(site);
  const row = findRow(view, site, path);
  if (row !== null) return row.column === undefined ? row.columns : NOTHING;
  const [, part, field, inside] = STEP.exec(path) ?? [];
  const forms = part === undefined ? null : findForms(view, site);
  if (forms === null) return NOTHING;
  if (field === undefined)
    return part === 'request' ? toSample('body', forms.payload) : toSample('body', createExpectation(forms.received));
  if (field === 'headers') {
    const { headers } = forms.shape;
    const named = headers.map(
      ({ name, doc, required }) => [name, { json: '', detail: required ? 'required' : doc }] as const,
    );
    return part === 'request' ? new Map(named) : NOTHING;
  }
  const schema = findInside(part === 'request' ? forms.sent : forms.received, inside);
  const required = listRequired(schema);
  const members = Object.entries(getProperties(schema) ?? {}).map(([name, one]) => {
    const json = part === 'request' ? sampleSchema(one) : createExpectation(one);
    return [
      name,
      { json, detail: required.includes(name) && part === 'request' ? 'required' : formatShort(one) },
    ] as const;
  });
  return new Map(members);
}

const toSample = (name: string, json: Json | undefined): Samples =>
  json === undefined ? NOTHING : new Map([[name, { json, detail: '' }]]);

/** Matchers such as `$exactly` are around parts of the value; one row of a list is an object. */
function findInside(schema: JsonSchema, inside: string | undefined): JsonSchema {
  const parts = (inside ?? '').split('/').filter((part) => part !== '' && !part.startsWith('$'));
  const isItem = /^\d+$/.test(parts[0] ?? '') && !isList(schema);
  return findSchema(schema, isItem ? parts.slice(1) : parts) ?? {};
}

export interface TestValue {
  readonly label?: string;
  readonly json: Json;
}

/** Values for the place of the cursor. */
export function listTestValues(view: DocumentContext, site: CursorContext): TestValue[] {
  const path = formatPath(site);
  if (path === '') return listTests(view);
  if (/^cases\/\d+\/steps\/\d+$/.test(path))
    return listResources(view).flatMap((resource) => {
      const json = createStep(view, resource);
      return json === null ? [] : [{ label: `step: ${resource.id}`, json }];
    });
  const row = findRow(view, site, path);
  if (row !== null) {
    const sample = row.column === undefined ? undefined : row.columns.get(row.column);
    if (row.column !== undefined) return sample?.json === undefined ? [] : [{ json: sample.json }];
    return [{ label: '{ row }', json: row.whole }];
  }
  const [, part, field, inside] = STEP.exec(path) ?? [];
  if (field === 'path') return listPaths(view, site).map((json) => ({ json }));
  const forms = field === 'body' ? findForms(view, site) : null;
  if (forms === null) return [];
  const isWhole = inside === undefined;
  if (part === 'request')
    return (isWhole ? [forms.payload] : listSamples(findInside(forms.sent, inside))).map((json) => ({ json }));
  const expected = createExpectation(findInside(forms.received, inside));
  return expected === undefined ? [] : [{ json: expected }];
}

function describeForms(
  { recentAnalysis: analysis, registry, project }: DocumentContext,
  resource: ResourceModel,
): TestForms | null {
  return describeTestForms({ analysis, registry, config: project.config, sql: project.sql }, resource);
}

/** The resource that the step at the cursor calls. */
function findForms(view: DocumentContext, site: CursorContext): TestForms | null {
  const request = findValue(site.levels[4]?.node ?? null, 'request');
  const [id, path] = ['resource', 'path'].map((name) => asText(findValue(request, name)?.scalar ?? null));
  const [plain = ''] = (path ?? '').split('?');
  const { resources } = view.recentAnalysis;
  const found = resources.find((one) => one.id === id) ?? resources.find((one) => matchesPath(one.path, plain));
  return found === undefined ? null : describeForms(view, found);
}

function matchesPath(pattern: string, path: string): boolean {
  const [own, other] = [pattern, path.replace(/^\//, '')].map((one) => one.split('/'));
  return own?.length === other?.length && own?.every((part, i) => part.startsWith(':') || part === other?.[i]) === true;
}

/** Paths with their parameters, and the payload in the query where the method has no body. */
function listPaths(view: DocumentContext, site: CursorContext): string[] {
  const request = findValue(site.levels[4]?.node ?? null, 'request');
  const [id, method] = ['resource', 'method'].map((name) => asText(findValue(request, name)?.scalar ?? null));
  return listResources(view, id).flatMap((resource) => {
    const forms = describeForms(view, resource);
    if (forms === null) return [];
    const { path, parameters, withoutBody, payload } = forms.shape;
    const samples = new Map(parameters.map(({ name, sample }) => [name, sample]));
    const filled = fillPath(path, (name) => encodeURIComponent(samples.get(name) ?? name));
    const named = withoutBody.includes(method ?? '') && isObject(payload) ? Object.entries(payload) : [];
    const query = named.map(
      ([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
    );
    return [query.length === 0 ? filled : `${filled}?${query.join('&')}`];
  });
}

/** More take too long to verify. */
const MOST = 12;

const listResources = ({ recentAnalysis: { resources } }: DocumentContext, id = ''): readonly ResourceModel[] => {
  const named = resources.filter((one) => one.id === id);
  return named.length > 0 ? named : resources.slice(0, MOST);
};

function createStep(view: DocumentContext, resource: ResourceModel): JsonObject | null {
  const forms = describeForms(view, resource);
  if (forms === null) return null;
  const { payload, received, empty } = forms;
  const hasBody = !isObject(payload) || Object.keys(payload).length > 0;
  const body = empty === undefined ? createExpectation(received) : empty;
  return {
    request: { resource: resource.id, ...(hasBody && { body: payload }) },
    expect: body === undefined ? { status: 200 } : { body },
  };
}

/** A first test of each resource; those after which the file is named come first. */
function listTests(view: DocumentContext): TestValue[] {
  const base = (view.name.split(/[\\/]/).pop() ?? '').replace(/\.test\.jsonc?$/, '');
  const getRank = ({ id }: ResourceModel): number => (id === base ? 0 : id.startsWith(base) ? 1 : 2);
  const resources = [...view.recentAnalysis.resources].sort((a, b) => getRank(a) - getRank(b));
  return resources.slice(0, MOST).flatMap((resource) => {
    const step = createStep(view, resource);
    if (step === null) return [];
    const claims = resource.definition.finds.declarations.filter(({ symbol }) => symbol === 'claim');
    const given = { claims: Object.fromEntries(claims.map(({ name }) => [name, '1'])) };
    const json = {
      id: base,
      ...(claims.length > 0 && { given }),
      cases: [{ id: `${resource.id} succeeds`, steps: [step] }],
    };
    return [{ label: `test: ${resource.id}`, json }];
  });
}

interface SampleRow {
  readonly columns: Samples;
  readonly whole: JsonObject;
  readonly column: string | undefined;
}

function findRow(view: DocumentContext, site: CursorContext, path: string): SampleRow | null {
  const [found, , verb, table = '', part, column] = ROW.exec(path) ?? [];
  const model = found === undefined ? undefined : findModelByAlias(view.recentAnalysis.models, table);
  if (model === undefined || (verb === 'update' && part === undefined)) return null;
  const columns = new Map(
    model.fields.map(({ name, value }) => {
      const json = sampleColumn(view, site, value);
      return [name, { json, detail: formatShort(value) }] as const;
    }),
  );
  const needed = model.fields.filter(
    ({ name, value }) => value['optional'] !== true && value['auto_increment'] !== true && !TIMESTAMPS.includes(name),
  );
  const whole = Object.fromEntries(needed.map(({ name }) => [name, columns.get(name)?.json ?? '']));
  return { columns, whole, column };
}

const BY_COLUMN: Readonly<Record<string, Json>> = {
  integer: 1,
  float: 1.5,
  boolean: true,
  timestamp: '2030-01-31T12:00:00.000Z',
};

function sampleColumn(
  view: DocumentContext,
  site: CursorContext,
  field: DataModel['fields'][number]['value'],
): Json | undefined {
  const { foreign_key: reference, max_length: most } = field;
  const { column = '', holds } = getColumnFacts(view.registry, field);
  if (isObject(reference)) return findGivenKey(view, site, reference);
  if (column === 'json') return holds === 'array' ? [] : {};
  return BY_COLUMN[column] ?? 'text'.slice(0, typeof most === 'number' ? most : undefined);
}

/** The key of a row that the test gives. */
function findGivenKey(
  { recentAnalysis: { models } }: DocumentContext,
  { levels }: CursorContext,
  { of, key }: JsonObject,
): Json | undefined {
  const target = findModelByAlias(models, asText(of));
  for (const holder of [levels[0], levels[2]]) {
    const tables = findValue(findValue(holder?.node ?? null, 'given'), 'tables');
    for (const { key: table, value } of tables?.members ?? [])
      for (const row of findModelByAlias(models, table) === target ? (value?.items ?? []) : []) {
        const found: LocatedNode | null = findValue(row, asText(key));
        if (found !== null) return toJson(found);
      }
  }
  return undefined;
}
