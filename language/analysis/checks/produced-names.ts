/**
 * Checks ambiguous names and names without a value: two producers, payload rules for produced names, early reads, and
 * fields of one item where several may arrive.
 */
import { isObject } from '../../../contract/json.js';
import { addMembers } from '../../source/edit-json.js';
import { findMember, type LocatedNode } from '../../source/tree.js';
import type { Declaration } from '../facts.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import type { Registry } from '../registry.js';
import { type Report, type ReportOptions, isInside, createFix } from '../report.js';
import { filterOutputReads, listValueReads, type ValueRead } from '../value-reads.js';
import { findExtraction, listSourceKeys } from './uses.js';

export function checkProducedNames(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  for (const resource of resources) {
    const reads = listValueReads(resource, registry);
    reportDuplicate(resource, report);
    reportRules(resource, report);
    reportEarly(resource, reads, report);
    reportTwoSources(resource, reads, report);
    for (const action of resource.actions) reportSeveralItems(resource, action, reads, registry, report);
  }
}

const SOURCE_WORDS = {
  extracted: 'an actionable',
  generated: 'a generator',
  output: 'the result of an earlier actionable',
  payload: 'the payload',
  claim: 'the claims of the token',
} as const;

const isProduced = ({ symbol }: Declaration): boolean => symbol === 'name' || symbol === 'generated';

const findProducer = ({ actions }: LinkedResource, { spot }: Declaration): LinkedAction | undefined =>
  actions.find(({ node }) => isInside(spot, node));

/** Extracting the same value from the same results twice is allowed. */
function reportDuplicate(resource: LinkedResource, report: Report): void {
  const first = new Map<string, Declaration>();
  for (const declared of resource.definition.finds.declarations.filter(isProduced)) {
    const key = `${declared.symbol} ${declared.name}`;
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, declared);
      continue;
    }
    const other = findProducer(resource, earlier);
    if (other === undefined || isSameValue(resource, earlier, declared)) continue;
    const related = [{ message: `"${declared.name}" is given here too`, spot: earlier.spot }];
    report.add('LNK_GIVEN_TWICE', declared.spot, { name: declared.name, other: other.id }, { related });
  }
}

function isSameValue(resource: LinkedResource, a: Declaration, b: Declaration): boolean {
  const [from, to] = [getExtractionKey(resource, a), getExtractionKey(resource, b)];
  return from !== null && from === to;
}

/** The path and the actionables it comes from; null for generated values. */
function getExtractionKey(resource: LinkedResource, { spot, symbol }: Declaration): string | null {
  const user = resource.actions.find(({ node }) => isInside(spot, node));
  if (symbol !== 'name' || user === undefined) return null;
  const reference = findExtraction(resource, spot);
  return reference === undefined ? null : JSON.stringify([[...listSourceKeys(user, reference)].sort(), reference.name]);
}

/** A produced value replaces the required payload field. */
function reportRules(resource: LinkedResource, report: Report): void {
  const { definition, names, generated } = resource;
  for (const { symbol, name, spot, value } of definition.finds.declarations) {
    if (symbol !== 'payload-field' || !(names.has(name) || generated.has(name))) continue;
    if (isObject(value) && value['optional'] === true) continue;
    const giver = definition.finds.declarations.find((one) => isProduced(one) && one.name === name);
    const action = giver && findProducer(resource, giver);
    const made = names.has(name) ? 'extracted' : 'generated';
    report.add('LNK_RULE_GIVEN', spot, { name, made, producer: action?.id });
  }
}

/** Plugins of the resource run before the first actionable. */
function reportEarly(resource: LinkedResource, reads: readonly ValueRead[], report: Report): void {
  for (const { action, source, spot, afterwards } of reads) {
    if (action !== null || afterwards || source === null) continue;
    if (source.sort !== 'extracted' && source.sort !== 'generated') continue;
    const giver = resource.actions.find(({ key }) => source.makers.includes(key));
    const params = { name: source.name, made: source.sort, producer: giver?.id };
    report.add('LNK_BEFORE_ALL', spot, params);
  }
}

function reportTwoSources(
  { sources, payloadFields }: LinkedResource,
  reads: readonly ValueRead[],
  report: Report,
): void {
  for (const { form, action, source, spot } of reads) {
    if (source === null || form === 'list') continue;
    const all = sources.listSources(source.name, action).filter(({ sort }) => form === 'word' || sort !== 'claim');
    const [first, second] = all;
    if (first === undefined || second === undefined) continue;
    // `reportRules` already reports this combination.
    const isMade = first.sort === 'extracted' || first.sort === 'generated';
    if (isMade && second.why === 'rule' && payloadFields.get(source.name)?.optional === false) continue;
    const params = { name: source.name, first: SOURCE_WORDS[first.sort], second: SOURCE_WORDS[second.sort] };
    report.add('LNK_TWO_SOURCES', spot, params);
  }
}

/** For example a read of `url` from an upload that accepts several files. */
function reportSeveralItems(
  resource: LinkedResource,
  action: LinkedAction,
  reads: readonly ValueRead[],
  registry: Registry,
  report: Report,
): void {
  const [first] = filterOutputReads(reads, action.key);
  const source = first?.source;
  if (first === undefined || !source) return;
  const place = resource.definition.finds.places.find(
    ({ node, plugin }) => node === action.node && registry.plugins.get(plugin)?.items !== undefined,
  );
  const items = place?.sound === true ? registry.plugins.get(place.plugin)?.items?.(place) : null;
  if (!items || items.most <= 1) return;
  const params = { name: source.name, producer: action.id, most: items.most };
  report.add('LNK_SEVERAL', first.spot, params, createLimitFix(resource, action, items.limit));
}

function createLimitFix(
  { definition: { doc } }: LinkedResource,
  { node }: LinkedAction,
  limit: readonly string[] | null,
): ReportOptions {
  const [holder, field] = [limit?.slice(0, -1) ?? [], limit?.at(-1)];
  const around = holder.reduce<LocatedNode | null>((at, key) => (at && findMember(at, key)?.value) ?? null, node);
  if (field === undefined || around === null) return {};
  const written = findMember(around, field)?.value;
  const change = written
    ? { start: written.start, end: written.end, text: '1' }
    : addMembers(doc, around, [[field, '1']]);
  return createFix(`let one come: "${field}": 1`, [change], true);
}
