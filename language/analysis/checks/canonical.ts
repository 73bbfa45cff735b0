/**
 * If a rule declares `canonical` for a column, other resources that write or look up the column need the same form, or lookups
 * miss. Reports only certain differences.
 */
import { isObject } from '../../../contract/json.js';
import { listAccessors } from '../../strings/accessor.js';
import { addMembers } from '../../source/edit-json.js';
import { listDocumentFields } from '../../strings/document-fields.js';
import { findMember, findNode, toJson, toJsonObject, type LocatedNode } from '../../source/tree.js';
import type { DocumentQuery } from '../facts.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import { memoize } from '../memoize.js';
import type { Registry } from '../registry.js';
import { createFix } from '../fix-factory.js';
import { isInside, type Report, type ReportOptions, type SourceLocation } from '../report.js';
import { getRootName } from '../sources.js';
import type { Lookups, StageCache } from '../stage-cache.js';
import { recordTables, type TableNames } from '../tables.js';
import { listValueReads, type ValueRead } from '../value-reads.js';

interface Context {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
  readonly tables: TableNames;
}

/** A payload value that is written to, or compared with, a column. */
interface Use {
  readonly resource: LinkedResource;
  readonly model: string;
  readonly column: string;
  readonly name: string;
  readonly spot: SourceLocation;
  /** Sorted; empty if the rules declare none. */
  readonly forms: readonly string[];
  /** Null if there is none or more than one. */
  readonly rule: LocatedNode | null;
}

export function checkCanonical(context: Context, resources: readonly LinkedResource[]): void {
  const { registry, report, tables } = context;
  if (!resources.some(hasForms)) return;
  const owners = new Map(resources.flatMap((one) => one.actions.map(({ key }) => [key, one] as const)));
  const uses = resources.flatMap((resource) => [
    ...listUses(resource, context),
    ...listReachedUses(resource, owners, registry, tables),
  ]);
  const first = new Map<string, Use>();
  for (const use of uses) if (use.forms.length > 0 && !first.has(toColumnKey(use))) first.set(toColumnKey(use), use);
  if (first.size === 0) return;
  const elsewhere = createFormLookup(resources);
  const told = new Map<LinkedResource, Set<string>>();
  for (const use of uses) {
    const other = first.get(toColumnKey(use));
    if (other === undefined || isSame(use.forms, other.forms)) continue;
    if (use.forms.length === 0 && elsewhere(use.resource, use.name)) continue;
    // Each field is reported once per resource.
    const names = told.get(use.resource) ?? new Set();
    if (names.has(use.name)) continue;
    told.set(use.resource, names.add(use.name));
    const form = formatForms(other.forms);
    const related = [{ message: `a value of "${other.column}" is in the form ${form} here`, spot: other.spot }];
    const params = { column: use.column, form, other: other.resource.id };
    report.add('LNK_CANONICAL', use.spot, params, { related, ...createCanonicalFix(use, form) });
  }
}

const toColumnKey = ({ model, column }: Use): string => `${model} ${column}`;
const isSame = (a: readonly string[], b: readonly string[]): boolean => a.join(' ') === b.join(' ');
const formatForms = ([only = '', ...more]: readonly string[]): string =>
  JSON.stringify(more.length === 0 ? only : [only, ...more]);

function createCanonicalFix({ rule, resource, forms }: Use, form: string): Pick<ReportOptions, 'fix'> {
  if (rule === null || forms.length > 0) return {};
  const change = addMembers(resource.definition.doc, rule, [['canonical', form]]);
  return createFix(`add "canonical": ${form}`, [change]);
}

function listUses(resource: LinkedResource, { registry, memory, report, tables }: Context): readonly Use[] {
  if (!isReached(resource)) return [];
  const computeUses = (lookups: Lookups<TableNames>): readonly Use[] => {
    const recorded = recordTables(lookups);
    return [...listQueryUses(resource, registry, recorded), ...listPropertyUses(resource, recorded)];
  };
  return memory.getOrLookUp(resource, report, { name: 'canonical', reads: [], source: tables, compute: computeUses });
}

/** The rules of callers also apply to a resource that is only reached from others, so it is skipped. */
const isReached = ({ actions }: LinkedResource): boolean => actions.some(({ noOp }) => !noOp);

/** A comparison other than equality before a placeholder. */
const NOT_EQUAL = /(?:\b(?:LIKE|ILIKE|TO|BETWEEN|AND)|[<>!~]=?)\s*$/i;

/** `only`: of this actionable. */
function listQueryUses(
  resource: LinkedResource,
  registry: Registry,
  tables: TableNames,
  only: string | null = null,
): Use[] {
  return listValueReads(resource, registry).flatMap((read) => {
    const { query, columns, path, source, spot } = read;
    if (only !== null && read.action !== only) return [];
    if (query === null || source?.sort !== 'payload' || !isWhole(read)) return [];
    const action = resource.actions.find(({ key }) => key === read.action);
    if (action === undefined) return [];
    const met =
      'scan' in query ? equalColumns(query, read.node) : [...new Set([...columns, ...listFields(query, read.node)])];
    return met.flatMap((column) => findUses(resource, action, { path, column, spot }, tables));
  });
}

/** False inside a longer text. */
const isWhole = ({ node, form }: ValueRead): boolean => {
  if (form !== 'accessor') return form === 'word';
  const text = String(node.scalar);
  const [only] = listAccessors(text);
  return only?.start === 0 && only.end === text.length;
};

/** Fields of documents that the accessor is written to or compared with as a whole. */
const listFields = ({ around }: DocumentQuery, node: LocatedNode): string[] =>
  listDocumentFields(toJsonObject(around)).flatMap(({ path, at, whole }) =>
    whole && findNode(around, at)?.node === node ? [path] : [],
  );

function equalColumns(
  { scan, parameters }: Extract<ValueRead['query'], { readonly scan: unknown }>,
  node: LocatedNode,
): string[] {
  const n = parameters.indexOf(node) + 1;
  return scan.placeholders.flatMap(({ n: place, column, start }) =>
    place === n && column !== null && !NOT_EQUAL.test(scan.text.slice(0, start)) ? [column] : [],
  );
}

/** The rules of a caller apply to what the actionables of other resources read, so its rule is the place. */
function listReachedUses(
  caller: LinkedResource,
  owners: ReadonlyMap<string, LinkedResource>,
  registry: Registry,
  tables: TableNames,
): Use[] {
  if (getRules(caller).size === 0) return [];
  const keys = new Set(caller.actions.flatMap(({ edges }) => edges.map(({ to }) => to)));
  return [...keys].flatMap((key) => {
    const owner = owners.get(key);
    if (owner === undefined || owner === caller) return [];
    return listQueryUses(owner, registry, tables, key).flatMap((use): Use[] => {
      const [rule, other] = getRules(caller).get(use.name) ?? [];
      if (rule === undefined || other !== undefined || use.forms.length > 0) return [];
      const spot = { doc: caller.definition.doc, start: rule.start, end: rule.end };
      return [{ ...use, resource: caller, spot, forms: listForms(rule).sort(), rule }];
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
    return findUses(resource, action, { path, column: path.at(-1) ?? '', spot }, tables);
  });
}

/** Returns a use only if exactly one model has the column. */
function findUses(
  resource: LinkedResource,
  action: LinkedAction,
  { path, column, spot }: { readonly path: readonly string[]; readonly column: string; readonly spot: SourceLocation },
  tables: TableNames,
): Use[] {
  const [model, other] = action.models.filter((one) => tables.listFields(one).includes(column));
  if (model === undefined || other !== undefined) return [];
  const name = path.join('.');
  const rules = getRules(resource).get(name) ?? [];
  // Rules of list items have other paths.
  if (rules.length === 0 && (action.repeat !== null || path.length > 1)) return [];
  const [rule = null, second] = rules;
  const forms = [...new Set(rules.flatMap(listForms))].sort();
  return [{ resource, model, column, name, spot, forms, rule: second === undefined ? rule : null }];
}

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

const hasForms = memoize((resource: LinkedResource): boolean =>
  [...getRules(resource).values()].some((rules) => rules.some((rule) => findMember(rule, 'canonical') !== undefined)),
);

function listForms(rule: LocatedNode): string[] {
  const json = toJson(rule);
  const said = isObject(json) ? json['canonical'] : undefined;
  return [said].flat().flatMap((one) => (typeof one === 'string' ? [one] : []));
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
