/**
 * If a rule declares `canonical` for a column, other resources that use the column need the same form, or lookups
 * miss. Reports only certain differences.
 */
import { isObject } from '../../../contract/json.js';
import { addMembers } from '../../source/edit-json.js';
import { listQueryFields } from '../collect-queries.js';
import { findMember, findNode, toJson, type LocatedNode } from '../../source/tree.js';
import type { DocumentQuery } from '../facts.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import { memoize } from '../memoize.js';
import type { Registry } from '../registry.js';
import { isInside, type Report, type ReportOptions, type SourceLocation, createFix } from '../report.js';
import { getRootName } from '../sources.js';
import type { Blocks, Lookups, StageCache } from '../stage-cache.js';
import type { Steps } from '../steps.js';
import { recordTables, type TableNames } from '../tables.js';
import { listValueReads, type ValueRead } from '../value-reads.js';
import {
  findAction,
  findPayloadPaths,
  isWhole,
  listClaimValues,
  listIssuedPaths,
  type ValueTracing,
} from './canonical-sources.js';
import { findAcceptance, listIssuers, type Issuer } from './claims.js';

interface Context {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
  readonly tables: TableNames;
}

/** A payload value that meets a column. */
interface Use {
  readonly resource: LinkedResource;
  readonly model: string;
  readonly column: string;
  readonly name: string;
  readonly spot: SourceLocation;
  /** Sorted; of the rules, and those that the statement adds. */
  readonly forms: readonly string[];
  /** The rules have forms. */
  readonly declared: boolean;
  /** Null if there is none or more than one. */
  readonly rule: LocatedNode | null;
}

export function* checkCanonical(
  { registry, memory, report, tables }: Context,
  blocks: Blocks<LinkedResource>,
): Steps<void> {
  if (!blocks.some(hasForms)) return;
  const resources = blocks.flat();
  const owners = new Map(resources.flatMap((one) => one.actions.map(({ key }) => [key, one] as const)));
  const direct = yield* memory.getOrLookUpAll(blocks, report, {
    name: 'canonical',
    reads: [],
    source: tables,
    compute: (resource, lookups: Lookups<TableNames>) => listUses(resource, registry, recordTables(lookups)),
  });
  const own = direct.flat();
  const uses = resources.flatMap((resource, i) => [
    ...(own[i] ?? []),
    ...listReachedUses(resource, owners, registry, tables),
    ...listExtractedUses(resource, owners, registry, tables),
  ]);
  const elsewhere = createFormLookup(resources);
  const issuers = resources.flatMap((one) => listIssuers(one, registry).map((issuer) => [one, issuer] as const));
  for (const resource of issuers.length === 0 ? [] : resources)
    uses.push(...listClaimUses(resource, { owners, registry, seen: new Set() }, { issuers, tables, elsewhere }));
  const first = new Map<string, Use>();
  for (const use of uses) if (use.declared && !first.has(toColumnKey(use))) first.set(toColumnKey(use), use);
  if (first.size === 0) return;
  const reported = new Map<LinkedResource, Set<string>>();
  for (const use of uses) {
    const other = first.get(toColumnKey(use));
    if (other === undefined || isSame(use.forms, other.forms)) continue;
    if (!use.declared && elsewhere(use.resource, use.name)) continue;
    // Each field is reported once per resource.
    const names = reported.get(use.resource) ?? new Set();
    if (names.has(use.name)) continue;
    reported.set(use.resource, names.add(use.name));
    const form = formatForms(other.forms);
    const related = [{ message: `a value of "${other.column}" is in the form ${form} here`, spot: other.spot }];
    const params = { column: use.column, form, other: other.resource.id };
    const fix = other.forms.includes('upper') ? {} : createCanonicalFix(use, form);
    report.add('LNK_CANONICAL', use.spot, params, { related, ...fix });
  }
}

const toColumnKey = ({ model, column }: Use): string => `${model} ${column}`;
const isSame = (a: readonly string[], b: readonly string[]): boolean => a.join(' ') === b.join(' ');
const formatForms = ([only = '', ...more]: readonly string[]): string =>
  JSON.stringify(more.length === 0 ? only : [only, ...more]);

function createCanonicalFix({ rule, resource, declared }: Use, form: string): Pick<ReportOptions, 'fix'> {
  if (rule === null || declared) return {};
  const change = addMembers(resource.definition.doc, rule, [['canonical', form]]);
  return createFix(`add "canonical": ${form}`, [change]);
}

function listUses(resource: LinkedResource, registry: Registry, tables: TableNames): readonly Use[] {
  if (!isReached(resource)) return [];
  return [...listQueryUses(resource, registry, tables), ...listPropertyUses(resource, tables)];
}

/** The rules of callers also apply to a resource that is only reached from others. */
const isReached = ({ actions }: LinkedResource): boolean => actions.some(({ noOp }) => !noOp);

/** `only`: of this actionable. */
function listQueryUses(
  resource: LinkedResource,
  registry: Registry,
  tables: TableNames,
  only: string | null = null,
): Use[] {
  return listValueReads(resource, registry).flatMap((read) => {
    const { path, source, spot } = read;
    if (only !== null && read.action !== only) return [];
    if (source?.sort !== 'payload' || !isWhole(read)) return [];
    const action = resource.actions.find(({ key }) => key === read.action);
    if (action === undefined) return [];
    return listMet(read, tables).flatMap(({ column, forms }) =>
      findUses(resource, action, { path, column, forms, spot }, tables),
    );
  });
}

/** Columns or fields that the value meets, with the forms that the statement gives it. */
function listMet(
  { query, columns, node }: ValueRead,
  tables: TableNames,
): readonly Pick<Meeting, 'column' | 'forms'>[] {
  if (query === null) return [];
  if ('scan' in query) {
    const hasColumn = (table: string, column: string): boolean => {
      const model = tables.findModel(table);
      return model === undefined || tables.listFields(model).includes(column);
    };
    return query.language.listMetColumns(query.scan, query.parameters.indexOf(node) + 1, hasColumn);
  }
  return [...new Set([...columns, ...listFields(query, node)])].map((column) => ({ column, forms: [] }));
}

/** Uses of payload values that other results hand on under extracted names. */
function listExtractedUses(
  resource: LinkedResource,
  owners: ReadonlyMap<string, LinkedResource>,
  registry: Registry,
  tables: TableNames,
): Use[] {
  if (resource.names.size === 0 || !isReached(resource)) return [];
  return listValueReads(resource, registry).flatMap((read) => {
    const action = resource.actions.find(({ key }) => key === read.action);
    if (action === undefined || read.source?.sort !== 'extracted' || !isWhole(read)) return [];
    const met = listMet(read, tables);
    if (met.length === 0) return [];
    const paths = findPayloadPaths(resource, read.path, { owners, registry, seen: new Set() });
    const { spot } = read;
    return paths.flatMap((path) =>
      met.flatMap(({ column, forms }) => findUses(resource, action, { path, column, forms, spot }, tables)),
    );
  });
}

/** Fields of documents that the accessor, or its items, is written to or compared with. */
const listFields = (query: DocumentQuery, node: LocatedNode): string[] =>
  listQueryFields(query).flatMap(({ path, at, whole, items }) =>
    (whole || items) && findNode(query.around, at)?.node === node ? [path] : [],
  );

/** Uses of claims with a payload value of the resource that issues the token. */
function listClaimUses(
  resource: LinkedResource,
  tracing: ValueTracing,
  { issuers, tables, elsewhere }: ClaimSources,
): Use[] {
  if (resource.claims.size === 0 || !isReached(resource)) return [];
  const reads = listClaimValues(resource, tracing.registry).filter(isWhole);
  return reads.flatMap((read) => {
    const action = resource.actions.find(({ key }) => key === read.action);
    const met = action === undefined ? [] : listMet(read, tables);
    if (action === undefined || met.length === 0) return [];
    const accepted = issuers.filter(([, issuer]) => findAcceptance(resource, issuer, tracing.registry) !== false);
    return accepted.flatMap(([owner]) =>
      listIssuedPaths(owner, read.path, tracing).flatMap((path) => {
        const rules = getRules(owner).get(path.join('.')) ?? [];
        const declared = [...new Set(rules.flatMap(listForms))];
        if (declared.length === 0 && elsewhere(owner, path.join('.'))) return [];
        return met.flatMap(({ column, forms }) =>
          findUses(resource, action, { path: read.path, column, forms, spot: read.spot }, tables).map((use) => ({
            ...use,
            forms: addForms(declared, forms),
            declared: false,
            rule: null,
          })),
        );
      }),
    );
  });
}

interface ClaimSources {
  readonly issuers: readonly (readonly [owner: LinkedResource, issuer: Issuer])[];
  readonly tables: TableNames;
  readonly elsewhere: ReturnType<typeof createFormLookup>;
}

/** The rules of a caller apply to what other resources read, so its rule is the place. */
function listReachedUses(
  caller: LinkedResource,
  owners: ReadonlyMap<string, LinkedResource>,
  registry: Registry,
  tables: TableNames,
): Use[] {
  if (getRules(caller).size === 0) return [];
  const keys = new Set(caller.actions.flatMap(({ edges }) => edges.map(({ to }) => to)));
  // The set grows while it is read.
  for (const key of keys) for (const { to } of findAction(owners, key)?.edges ?? []) keys.add(to);
  return [...keys].flatMap((key) => {
    const owner = owners.get(key);
    if (owner === undefined || owner === caller) return [];
    return listQueryUses(owner, registry, tables, key).flatMap((use): Use[] => {
      const [rule, other] = getRules(caller).get(use.name) ?? [];
      if (rule === undefined || other !== undefined || use.declared) return [];
      const spot = { doc: caller.definition.doc, start: rule.start, end: rule.end };
      const declared = listForms(rule);
      const forms = addForms(declared, use.forms);
      return [{ ...use, resource: caller, spot, forms, declared: declared.length > 0, rule }];
    });
  });
}

/** A hashed property belongs to the column of the same name. */
function listPropertyUses(resource: LinkedResource, tables: TableNames): Use[] {
  return resource.definition.finds.references.flatMap(({ refers, name, node, spot }) => {
    if (refers.symbol !== 'payload-field') return [];
    const action = resource.actions.find((one) => isInside(node, one.node));
    const path = String(name).split('.');
    if (
      action === undefined ||
      resource.sources.listSources(getRootName(String(name)), action.key)[0]?.sort !== 'payload'
    )
      return [];
    return findUses(resource, action, { path, column: path.at(-1) ?? '', forms: [], spot }, tables);
  });
}

interface Meeting {
  readonly path: readonly string[];
  readonly column: string;
  /** That the statement gives the value. */
  readonly forms: readonly string[];
  readonly spot: SourceLocation;
}

/** Returns a use only if exactly one model has the column. */
function findUses(
  resource: LinkedResource,
  action: LinkedAction,
  { path, column, forms: given, spot }: Meeting,
  tables: TableNames,
): Use[] {
  const [model, other] = action.models.filter((one) => tables.listFields(one).includes(column));
  if (model === undefined || other !== undefined) return [];
  const name = path.join('.');
  const rules = getRules(resource).get(name) ?? [];
  // Rules of list items have other paths.
  if (rules.length === 0 && (action.repeat !== null || path.length > 1)) return [];
  const [rule = null, second] = rules;
  const declared = [...new Set(rules.flatMap(listForms))];
  const forms = addForms(declared, given);
  return [
    {
      resource,
      model,
      column,
      name,
      spot,
      forms,
      declared: declared.length > 0,
      rule: second === undefined ? rule : null,
    },
  ];
}

/** Forms that change nothing in a value of another form. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = { email: ['trim', 'nfc', 'lower'], lower: ['nfc'] };

const addForms = (declared: readonly string[], given: readonly string[]): readonly string[] => {
  const implied = declared.flatMap((form) => [form, ...(IMPLIED[form] ?? [])]);
  return [...declared, ...new Set(given.filter((form) => !implied.includes(form)))].sort();
};

/** By dotted path of the field. */
const getRules = memoize(({ definition }: LinkedResource): ReadonlyMap<string, readonly LocatedNode[]> => {
  const rules = new Map<string, LocatedNode[]>();
  const collectRule = (name: string, node: LocatedNode | null): void => {
    if (node === null) return;
    rules.set(name, [...(rules.get(name) ?? []), node]);
    for (const { key, value } of findMember(node, 'fields')?.value?.members ?? []) collectRule(`${name}.${key}`, value);
  };
  for (const { symbol, name, node } of definition.finds.declarations)
    if (symbol === 'payload-field') collectRule(name, node);
  return rules;
});

const isCanonical = (rule: LocatedNode): boolean => findMember(rule, 'canonical') !== undefined;
const hasForms = memoize((block: readonly LinkedResource[]): boolean =>
  block.some((resource) => [...getRules(resource).values()].flat().some(isCanonical)),
);

function listForms(rule: LocatedNode): string[] {
  const json = toJson(rule);
  const written = isObject(json) ? json['canonical'] : undefined;
  return [written].flat().flatMap((one) => (typeof one === 'string' ? [one] : []));
}

/** The rules of a reached resource apply to the whole request. */
function createFormLookup(resources: readonly LinkedResource[]): (from: LinkedResource, name: string) => boolean {
  const owners = new Map(resources.flatMap((one) => one.actions.map(({ key }) => [key, one] as const)));
  return (from, name) => {
    const seen = new Set([from]);
    for (const one of seen) {
      if ((getRules(one).get(name) ?? []).some((rule) => listForms(rule).length > 0)) return true;
      for (const { to } of one.actions.flatMap(({ edges }) => edges)) {
        const owner = owners.get(to);
        if (owner !== undefined) seen.add(owner);
      }
    }
    return false;
  };
}
