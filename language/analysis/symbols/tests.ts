/** Collects the names in test files: resources, models, fields, claims, events. */
import type { LocatedNode, Member } from '../../source/tree.js';
import { findValue, listItems, listMembers, listTestTables } from '../test-tables.js';
import type { Definition, ResourceModel } from '../model.js';
import type { SymbolCollector, SymbolId } from '../symbols.js';
import { getClaimGroups } from './claims.js';
import { locateContent, locateInside } from './locations.js';
import { getLookup } from './lookup.js';
import { fieldId, modelId } from './models.js';
import { resourceId } from './resources.js';
import { isDeclaredName, sharedId } from './shared-names.js';

export function collectTests(collecting: SymbolCollector): void {
  const { analysis, add } = collecting;
  const { model: modelOf, resource: resourceOf } = getLookup(analysis);
  for (const definition of analysis.tests) {
    const { doc } = definition;
    for (const { refers, name, spot } of definition.finds.references) {
      if (refers.symbol === 'resource' && resourceOf(String(name)) !== undefined)
        add(resourceId(String(name)), locateContent(spot), 'use');
    }
    for (const tested of listTestTables(definition)) {
      const { table } = tested;
      const model = modelOf(table.key);
      if (model === undefined) continue;
      add(modelId(model), locateContent({ doc, start: table.keyStart, end: table.keyEnd }), 'use');
      for (const { key, keyStart: start, keyEnd: end } of listMembers(tested))
        add(fieldId(model, key), locateContent({ doc, start, end }), 'use');
    }
    for (const { scalar, start, end } of listEvents(definition)) {
      const name = String(scalar);
      if (isDeclaredName(analysis, 'event', name))
        add(sharedId('event', name), locateContent({ doc, start, end }), 'use');
    }
    for (const one of listItems(definition.node, 'cases'))
      for (const step of listItems(one, 'steps')) collectPayload(collecting, definition, step);
    for (const { members, resources } of listClaims(definition))
      for (const { key, keyStart: start, keyEnd: end } of members) {
        const id = findClaim(collecting, resources, key);
        if (id !== null) add(id, locateContent({ doc, start, end }), 'use');
      }
  }
}

/** The fields of the payload that a step sends, and of the one that its answer calls wrong. */
function collectPayload({ analysis, add }: SymbolCollector, { doc }: Definition, step: LocatedNode): void {
  const request = findValue(step, 'request');
  const [id = ''] = request === null ? [] : getResource(request);
  const resource = getLookup(analysis).resource(id);
  if (resource === undefined) return;
  const within = String(analysis.definitions.indexOf(resource.definition));
  const visit = (node: LocatedNode | null, fields: ResourceModel['payloadFields'], path: string): void => {
    for (const item of node?.items ?? []) visit(item, fields, path);
    for (const { key, keyStart: start, keyEnd: end, value } of node?.members ?? []) {
      const field = fields.get(key);
      if (field === undefined) continue;
      add({ sort: 'payload', within, name: `${path}${key}` }, locateContent({ doc, start, end }), 'use');
      visit(value, field.fields, `${path}${key}.`);
    }
  };
  visit(findValue(request, 'body'), resource.payloadFields, '');
  const pointer = findValue(findValue(findValue(step, 'expect'), 'problem'), 'pointer');
  const [, name = ''] = pointer?.type === 'string' ? String(pointer.scalar).split('/') : [];
  if (pointer !== null && resource.payloadFields.has(name))
    add({ sort: 'payload', within, name }, locateInside({ doc, ...pointer }, 1, 1 + name.length), 'use');
}

/** The names of the messages that a test expects. */
function listEvents({ node }: Definition): LocatedNode[] {
  const messages = listItems(node, 'cases').flatMap((one) => [
    ...listItems(findValue(one, 'expect'), 'messages'),
    ...listItems(one, 'steps').flatMap((step) =>
      findValue(step, 'receive') === null ? [] : [findValue(findValue(step, 'expect'), 'body')],
    ),
  ]);
  return messages.flatMap((message) => findValue(message, 'action') ?? []).filter(({ type }) => type === 'string');
}

/** Claims of a caller, and the resources that are called with them. */
interface TestClaims {
  readonly members: readonly Member[];
  readonly resources: readonly string[];
}

function listClaims({ node }: Definition): TestClaims[] {
  const cases = listItems(node, 'cases').map((one) => {
    const steps = listItems(one, 'steps').flatMap((step) =>
      ['request', 'connect'].flatMap((name) => findValue(step, name) ?? []),
    );
    return { one, steps, resources: steps.flatMap(getResource) };
  });
  const all = cases.flatMap(({ resources }) => resources);
  return [
    toClaims(findValue(node, 'given'), 'claims', all),
    ...cases.flatMap(({ one, steps, resources }) => [
      toClaims(findValue(one, 'given'), 'claims', resources),
      ...steps.map((step) => toClaims(step, 'as', [...getResource(step), ...resources].slice(0, 1))),
    ]),
  ];
}

const toClaims = (node: LocatedNode | null, name: string, resources: readonly string[]): TestClaims => ({
  members: findValue(node, name)?.members ?? [],
  resources,
});

function getResource(step: LocatedNode): string[] {
  const node = findValue(step, 'resource');
  return node?.type === 'string' ? [String(node.scalar)] : [];
}

/** Null if the resources read claims of this name from tokens of several issuers. */
function findClaim({ analysis, registry }: SymbolCollector, ids: readonly string[], name: string): SymbolId | null {
  const groups = getClaimGroups(analysis, registry);
  const found = new Map<string, SymbolId>();
  for (const id of new Set(ids)) {
    const definition = getLookup(analysis).resource(id)?.definition;
    const isRead = definition?.finds.declarations.some(
      (one) => one.symbol === 'claim' && one.name.split('.')[0] === name,
    );
    if (definition === undefined || isRead !== true) continue;
    const claim = groups.getId(String(analysis.definitions.indexOf(definition)), name);
    found.set(claim.within, claim);
  }
  const [only, other] = found.values();
  return only === undefined || other !== undefined ? null : only;
}
