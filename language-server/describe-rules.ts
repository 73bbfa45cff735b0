/** Describes payload rules and model fields, type first. Plain text for labels, Markdown for hovers. */
import type { Declaration } from '../language/analysis/facts.js';
import type { ResourceModel } from '../language/analysis/model.js';
import type { Registry } from '../language/analysis/registry.js';
import { isObject, type Json } from '../contract/json.js';
import type { SymbolKind } from '../contract/field-meta.js';
import { findNode } from '../language/source/tree.js';
import { toCodeSpan } from './safe-markdown.js';

/** Maximum length of a value. */
const LONGEST = 60;

interface RuleParts {
  /** Plugins that the object selects by name. */
  readonly chosen: readonly string[];
  /** In the order written. */
  readonly traits: readonly (readonly [name: string, value: Json])[];
}

function splitRule(registry: Registry, rule: Json): RuleParts {
  if (!isObject(rule)) return { chosen: [], traits: [] };
  const selectors = new Set(
    [...registry.kinds.values()].flatMap(({ select }) => (select.by === 'field' ? [select.field] : [])),
  );
  const isSelector = (key: string, value: Json): value is string => selectors.has(key) && typeof value === 'string';
  const entries = Object.entries(rule).filter(([, value]) => value !== false);
  return {
    chosen: entries.flatMap(([key, value]) => (isSelector(key, value) ? [value] : [])),
    traits: entries.filter(([key, value]) => !isSelector(key, value)),
  };
}

/** `EMAIL, max_length 320, optional`; omits nested objects and lists. */
export function ruleText(registry: Registry, rule: Json): string {
  const { chosen, traits } = splitRule(registry, rule);
  const rest = traits.flatMap(([key, value]) => {
    if (value === true) return [key];
    return typeof value === 'object' && value !== null ? [] : [`${key} ${JSON.stringify(value)}`];
  });
  return [...chosen, ...rest].join(', ');
}

/** Type and other properties: `EMAIL`, and ``max length `320`, optional``. */
export function ruleCells(registry: Registry, rule: Json): [type: string, traits: string] {
  const { chosen, traits } = splitRule(registry, rule);
  const rest = traits.map(([key, value]) => {
    const name = key.replace(/_/g, ' ');
    if (value === true) return name;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name} ${toCodeSpan(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)}`;
  });
  return [chosen.map(toCodeSpan).join(', '), rest.join(', ')];
}

export const ruleMarkdown = (registry: Registry, rule: Json): string =>
  ruleCells(registry, rule)
    .filter((part) => part !== '')
    .join(', ');

/** The declaration of a path or of its first segment. */
export const findDeclaration = (
  { definition }: ResourceModel,
  symbol: SymbolKind,
  path: string,
): Declaration | undefined => {
  const found = definition.finds.declarations.filter((one) => one.symbol === symbol);
  return found.find(({ name }) => name === path) ?? found.find(({ name }) => name === path.split('.')[0]);
};

/** The rule of a path into a declared field; null if there is none. */
export function resolveRule(resource: ResourceModel, declaration: Declaration, path: string): Json {
  const { name, value } = declaration;
  const rest = path.split('.').slice(name.split('.').length);
  let rule: Json = { ...getSiblingLimits(resource, declaration), ...(isObject(value) ? value : {}) };
  for (const segment of rest) {
    const fields: Json | undefined = isObject(rule) ? rule['fields'] : undefined;
    const inner: Json | undefined = isObject(fields) ? fields[segment] : undefined;
    if (inner !== undefined) rule = inner;
    // Numeric segments are skipped, because items of a list share a declaration.
    else if (!/^\d+$/.test(segment)) return null;
  }
  return rule;
}

/** Siblings of the map that contains the rule may set limits, unless the map's parent is the resource or an actionable. */
function getSiblingLimits(
  { definition, actions }: ResourceModel,
  { node }: Declaration,
): Readonly<Record<string, Json>> {
  const root = definition.node;
  const pointer = node?.pointer.slice(root.pointer.length).split('/').slice(0, -2).join('/');
  const around = pointer === undefined ? null : (findNode(root, pointer)?.node ?? null);
  if (around === null || around === root || actions.some((action) => action.node.pointer === around.pointer)) return {};
  return Object.fromEntries(
    around.members.flatMap(({ key, value }) =>
      value === null || value.type === 'object' || value.type === 'array' ? [] : [[key, value.scalar]],
    ),
  );
}
