/** Collects the names of resources: ids, actionables, payload fields, produced names and claims. */
import { listParameterSpans } from '../../strings/route.js';
import { findMember, type LocatedNode } from '../../source/tree.js';
import type { Declaration, Reference } from '../facts.js';
import { isInside } from '../report.js';
import type { Analysis } from '../analysis.js';
import type { ActionModel, ResourceModel } from '../model.js';
import type { SymbolCollector, SymbolId } from '../symbols.js';
import { getClaimGroups } from './claims.js';
import { collectAccessors } from './accessors.js';
import { getLookup } from './lookup.js';
import { findOrigin, findParameterModel } from './values.js';
import { fieldId } from './models.js';
import { addPath, isOutput, resolveRoot, type SymbolScope } from './scope.js';
import { locateInside, splitSegments, locateContent } from './locations.js';

export const resourceId = (name: string): SymbolId => ({ sort: 'resource', within: '', name });
const actionId = (resource: string, id: string | number): SymbolId => ({
  sort: 'action',
  within: resource,
  name: String(id),
});

export function collectResources(collecting: SymbolCollector): void {
  const { analysis, registry } = collecting;
  const byDefinition = new Map(analysis.resources.map((resource) => [resource.definition, resource]));
  for (const [i, definition] of analysis.definitions.entries()) {
    const resource = byDefinition.get(definition) ?? null;
    const within = String(i);
    const getClaimId = (name: string): SymbolId => getClaimGroups(analysis, registry).getId(within, name);
    const scope: SymbolScope = { within, resource, definition, getClaimId };
    if (resource !== null) {
      declareResource(collecting, scope, resource);
      for (const reference of definition.finds.references) collectReference(collecting, scope, resource, reference);
    }
    collectAccessors(collecting, scope);
  }
}

const DECLARED = { name: 'name', generated: 'generated' } as const;

function declareResource(collecting: SymbolCollector, scope: SymbolScope, resource: ResourceModel): void {
  const { add } = collecting;
  const { definition, within } = scope;
  const idNode = findMember(definition.node, 'id')?.value;
  const { doc, finds } = definition;
  if (idNode?.type === 'string') {
    add(resourceId(resource.id), locateContent({ doc, start: idNode.start, end: idNode.end }), 'declaration');
  }
  const path = findMember(definition.node, 'resource')?.value;
  for (const { name, start, end } of path?.type === 'string' ? listParameterSpans(resource.path) : []) {
    const spot = { doc, start: path?.start ?? 0, end: path?.end ?? 0 };
    add({ sort: 'payload', within, name }, locateInside(spot, start, end), 'declaration');
  }
  for (const { symbol, name, spot, node } of finds.declarations) {
    if (symbol === 'action') add(actionId(resource.id, name), locateContent(spot), 'declaration');
    if (symbol === 'payload-field') {
      add({ sort: 'payload', within, name }, locateContent(spot), 'declaration');
      if (node !== null) declareNested(collecting, scope, name, node);
    }
    if (symbol === 'claim' || symbol === 'issued-claim')
      declareClaim(collecting, scope, resource, { symbol, name, spot });
    if (symbol === 'name' || symbol === 'generated') {
      const [root] = splitSegments(name);
      const id = { sort: DECLARED[symbol], within, name: root?.text ?? name };
      add(id, spot.doc.text[spot.start] === '"' ? locateInside(spot, 0, id.name.length) : spot, 'declaration');
    }
  }
  for (const { symbol, name, spot } of finds.declarations) {
    const action = symbol === 'secret' ? resource.actions.find(({ node }) => isInside(spot, node)) : undefined;
    // A property that is also a reference is a payload name.
    if (action === undefined || finds.references.some(({ node }) => node.start === spot.start)) continue;
    const model = findOrigin(collecting.analysis, action, name);
    if (model !== null) add(fieldId(model, name), locateContent(spot), 'use');
  }
}

/** Where no resource issues the claim, the guard declares it. An issued claim is named like the value that it holds. */
function declareClaim(
  { analysis, registry, add, linkSymbols }: SymbolCollector,
  scope: SymbolScope,
  resource: ResourceModel,
  { symbol, name, spot }: Pick<Declaration, 'symbol' | 'name' | 'spot'>,
): void {
  const [root = ''] = name.split('.');
  const groups = getClaimGroups(analysis, registry);
  const id = groups.getId(scope.within, root);
  const here = locateInside(spot, 0, root.length);
  if (symbol === 'claim') {
    const isIssued = groups.listIssuersOf(resource).some((issuer) => listIssuedClaims(issuer).includes(root));
    add(id, here, isIssued ? 'use' : 'declaration');
    return;
  }
  add(id, here, 'declaration', 'issued');
  const value = findClaimValue(analysis, scope, resource, root);
  if (value !== null) linkSymbols(id, value);
}

const listIssuedClaims = ({ definition: { finds } }: ResourceModel): string[] =>
  finds.declarations.flatMap(({ symbol, name }) => (symbol === 'issued-claim' ? [name.split('.')[0] ?? name] : []));

/** In the order in which `tokenize` looks it up. */
function findClaimValue(
  analysis: Analysis,
  scope: SymbolScope,
  resource: ResourceModel,
  name: string,
): SymbolId | null {
  for (const source of listSourceActions(analysis, resource, null, false)) {
    const model = findOrigin(analysis, source, name);
    if (model === 'made') return null;
    if (model !== null) return fieldId(model, name);
  }
  const root = resolveRoot(scope, name, null);
  return root?.sort === 'name' ? root : null;
}

/** Rules may be nested. */
function declareNested(collecting: SymbolCollector, scope: SymbolScope, path: string, rule: LocatedNode): void {
  const { doc } = scope.definition;
  for (const { key, keyStart, keyEnd, value } of findMember(rule, 'fields')?.value?.members ?? []) {
    const name = `${path}.${key}`;
    collecting.add(
      { sort: 'payload', within: scope.within, name },
      locateContent({ doc, start: keyStart, end: keyEnd }),
      'declaration',
    );
    if (value !== null) declareNested(collecting, scope, name, value);
  }
}

function collectReference(
  collecting: SymbolCollector,
  scope: SymbolScope,
  resource: ResourceModel,
  reference: Reference,
): void {
  const { add, analysis } = collecting;
  const { refers, name, spot, within, node } = reference;
  const text = String(name);
  switch (refers.symbol) {
    case 'resource':
      if (text === 'self') add(resourceId(resource.id), locateContent(spot), 'use', 'self');
      else if (getLookup(analysis).resource(text) !== undefined) add(resourceId(text), locateContent(spot), 'use');
      return;
    case 'action': {
      const owner = within === null || within.name === 'self' ? resource.id : within.name;
      const target = owner === resource.id ? resource : getLookup(analysis).resource(owner);
      if (target?.actions.some(({ id }) => id === name) === true) add(actionId(owner, text), spot, 'use');
      return;
    }
    case 'payload-field': {
      const root = resolveRoot(scope, text.split('.')[0] ?? text, findActionKey(resource, node));
      const isName = refers.named === true && root?.sort === 'name';
      addPath(collecting, scope, spot, splitSegments(text), isName ? root : undefined);
      return;
    }
    case 'name':
      collectName(collecting, scope, resource, reference);
      return;
    case 'value':
      collectValue(collecting, scope, resource, reference);
      return;
    default:
  }
}

const findActionKey = ({ actions }: ResourceModel, node: LocatedNode): string | null =>
  actions.find((one) => isInside(node, one.node))?.key ?? null;

/** A bare parameter, or the name of a list. */
function collectName(
  collecting: SymbolCollector,
  scope: SymbolScope,
  resource: ResourceModel,
  reference: Reference,
): void {
  const { refers, name, node, spot } = reference;
  const action = resource.actions.find((one) => isInside(node, one.node));
  const decision = action?.parameters.get(node.pointer);
  if (refers.soft === true && decision?.source !== 'name') return;
  const segments = splitSegments(String(name));
  const [root] = segments;
  if (root === undefined) return;
  const repeat = refers.soft === true ? (action?.repeat ?? null) : null;
  if (repeat?.fields?.includes(root.text) === true) {
    // Fields of an earlier result have no declaration.
    if (repeat.from !== 'payload' || repeat.name === null) return;
    addPath(collecting, scope, spot, segments, undefined, repeat.name);
    return;
  }
  if (isOutput(scope, root.text, action?.key ?? null)) return;
  const known = resolveRoot(scope, root.text, action?.key ?? null);
  if (known === null && action !== undefined) linkToField(collecting, scope, action, root.text);
  addPath(collecting, scope, spot, segments, known ?? undefined);
}

/** An undeclared name refers to the only model column of that name. */
function linkToField(
  { analysis, linkSymbols }: SymbolCollector,
  { within }: SymbolScope,
  action: ActionModel,
  name: string,
): void {
  const model = findParameterModel(analysis, action, name);
  if (model !== null) linkSymbols({ sort: 'payload', within, name }, fieldId(model, name));
}

/** A result column, or else a produced name. */
function collectValue(
  { analysis, add }: SymbolCollector,
  scope: SymbolScope,
  resource: ResourceModel,
  { refers, name, node, spot }: Reference,
): void {
  const segment = splitSegments(String(name)).find(({ text }) => !/^\d+$/.test(text));
  if (segment === undefined || node.type !== 'string') return;
  const here = locateInside(spot, segment.start, segment.end);
  const action = resource.actions.find((one) => isInside(node, one.node)) ?? null;
  for (const source of listSourceActions(analysis, resource, action, refers.extracted === true)) {
    const model = findOrigin(analysis, source, segment.text);
    if (model === 'made') return;
    if (model === null) continue;
    add(fieldId(model, segment.text), here, 'use');
    return;
  }
  const root = action === null ? resolveRoot(scope, segment.text, null) : null;
  if (root !== null && (root.sort === 'name' || root.sort === 'generated')) add(root, here, 'use');
}

/** In order of precedence. */
function listSourceActions(
  analysis: Analysis,
  { actions }: ResourceModel,
  action: ActionModel | null,
  extracted: boolean,
): readonly ActionModel[] {
  if (action === null) return [...actions].reverse().sort((a, b) => Number(b.main) - Number(a.main));
  if (!extracted || action.depends.length === 0) return [action];
  return action.depends.flatMap((key) => getLookup(analysis).action(key) ?? []);
}
