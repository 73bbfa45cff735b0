/**
 * Rules of payload fields, and fields of models, in words: the chosen type first, then what else is said of it. As plain text
 * for labels, as Markdown for hovers; which rule holds for a path is told here alone.
 */
import type { Declaration } from '../kernel/analysis/finds.js';
import type { ResourceModel } from '../kernel/analysis/model.js';
import type { Registry } from '../kernel/analysis/registry.js';
import { isObject, type Json } from '../kernel/contract/json.js';
import type { SymbolKind } from '../kernel/schema/meta.js';
import { nodeAt } from '../kernel/source/tree.js';
import { inCode } from './safe-markdown.js';

/** Longest value that is shown whole. */
const LONGEST = 60;

interface Said {
  /** Plugins that the object chooses by name. */
  readonly chosen: readonly string[];
  /** In the order in which they are written. */
  readonly traits: readonly (readonly [name: string, value: Json])[];
}

function saidIn(registry: Registry, rule: Json): Said {
  if (!isObject(rule)) return { chosen: [], traits: [] };
  const selectors = new Set(
    [...registry.kinds.values()].flatMap(({ select }) => (select.by === 'field' ? [select.field] : [])),
  );
  const chooses = (key: string, value: Json): value is string => selectors.has(key) && typeof value === 'string';
  const entries = Object.entries(rule).filter(([, value]) => value !== false);
  return {
    chosen: entries.flatMap(([key, value]) => (chooses(key, value) ? [value] : [])),
    traits: entries.filter(([key, value]) => !chooses(key, value)),
  };
}

/** `EMAIL, max_length 320, optional`; what is inside an object or a list is left out. */
export function ruleText(registry: Registry, rule: Json): string {
  const { chosen, traits } = saidIn(registry, rule);
  const rest = traits.flatMap(([key, value]) => {
    if (value === true) return [key];
    return typeof value === 'object' && value !== null ? [] : [`${key} ${JSON.stringify(value)}`];
  });
  return [...chosen, ...rest].join(', ');
}

/** The type, and everything else that is said of it: `EMAIL`, and ``max length `320`, optional``. */
export function ruleCells(registry: Registry, rule: Json): [type: string, traits: string] {
  const { chosen, traits } = saidIn(registry, rule);
  const rest = traits.map(([key, value]) => {
    const name = key.replace(/_/g, ' ');
    if (value === true) return name;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name} ${inCode(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)}`;
  });
  return [chosen.map(inCode).join(', '), rest.join(', ')];
}

export const ruleMarkdown = (registry: Registry, rule: Json): string =>
  ruleCells(registry, rule)
    .filter((part) => part !== '')
    .join(', ');

/** Who declares what a path begins with: the whole path, or its first segment. */
export const declarationOf = (
  { definition }: ResourceModel,
  symbol: SymbolKind,
  path: string,
): Declaration | undefined => {
  const found = definition.finds.declarations.filter((one) => one.symbol === symbol);
  return found.find(({ name }) => name === path) ?? found.find(({ name }) => name === path.split('.')[0]);
};

/** The rule for a path into a declared field; null where there is none. */
export function ruleOf(resource: ResourceModel, declaration: Declaration, path: string): Json {
  const { name, value } = declaration;
  const rest = path.split('.').slice(name.split('.').length);
  let rule: Json = { ...limitsBeside(resource, declaration), ...(isObject(value) ? value : {}) };
  for (const segment of rest) {
    const fields: Json | undefined = isObject(rule) ? rule['fields'] : undefined;
    const inner: Json | undefined = isObject(fields) ? fields[segment] : undefined;
    if (inner !== undefined) rule = inner;
    // The items of a list have numbers; what they hold is declared for all of them.
    else if (!/^\d+$/.test(segment)) return null;
  }
  return rule;
}

/** Limits may stand beside the map that the rule is an entry of, unless that is an object of the grammar itself. */
function limitsBeside({ definition, actions }: ResourceModel, { node }: Declaration): Readonly<Record<string, Json>> {
  const root = definition.node;
  const pointer = node?.pointer.slice(root.pointer.length).split('/').slice(0, -2).join('/');
  const around = pointer === undefined ? null : (nodeAt(root, pointer)?.node ?? null);
  if (around === null || around === root || actions.some((action) => action.node.pointer === around.pointer)) return {};
  return Object.fromEntries(
    around.members.flatMap(({ key, value }) =>
      value === null || value.type === 'object' || value.type === 'array' ? [] : [[key, value.scalar]],
    ),
  );
}
