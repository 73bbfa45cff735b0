/** Name sources of the definition at the cursor: payload fields, named results, claims, undeclared names. */
import { isObject, type Json } from '../../../contract/json.js';
import { Slot } from '../../../contract/slot.js';
import { readPayloadFields, readResource } from '../../../language/analysis/read-resource.js';
import type { Definition, PayloadField } from '../../../language/analysis/model.js';
import type { Registry } from '../../../language/analysis/registry.js';
import type { SymbolKind } from '../../../contract/field-meta.js';
import {
  listDefinitions,
  formatShort,
  uniqueNames,
  type Name,
  type NameSourceInput,
  type NameSource,
} from './name-source.js';

/** Fields of the payload, or of the object at `path`. */
export const suggestPayloadFields: NameSource = ({ site: { definition }, path }) => {
  if (definition?.sort !== 'resource') return [];
  const rules = new Map(definition.finds.declarations.map(({ name, value }) => [name, value]));
  let fields: ReadonlyMap<string, PayloadField> = readPayloadFields(definition);
  let json: Json = Object.fromEntries([...fields.keys()].map((name) => [name, rules.get(name) ?? null]));
  for (const segment of path) {
    // Items of a list have numeric segments; their fields are declared once for all items.
    if (/^\d+$/.test(segment) && !fields.has(segment)) continue;
    fields = fields.get(segment)?.fields ?? new Map<string, PayloadField>();
    const rule: Json = isObject(json) ? (json[segment] ?? null) : null;
    json = isObject(rule) ? (rule['fields'] ?? null) : null;
  }
  const getRule = (name: string): Json => (isObject(json) ? (json[name] ?? null) : null);
  return [...fields.keys()].map((name) => {
    const rule = getRule(name);
    return { name, detail: rule === null ? 'in the path' : `payload · ${formatShort(rule)}` };
  });
};

const WORDS: Partial<Record<SymbolKind, string>> = {
  name: 'value of an actionable',
  generated: 'made by a generator',
  claim: 'claim of the token',
  'issued-claim': 'issued in a token',
  secret: 'hashed or encrypted',
};

const listDeclaredNames = (definition: Definition | null, symbol: SymbolKind): Name[] =>
  (definition?.finds.declarations ?? []).flatMap((one) =>
    one.symbol === symbol ? [{ name: one.name, detail: WORDS[symbol] }] : [],
  );

export const suggestDeclared =
  (symbol: SymbolKind): NameSource =>
  ({ site }) =>
    uniqueNames(listDeclaredNames(site.definition, symbol));

/** Everything that a bare name in a parameter list can refer to, in lookup order. */
export const suggestValueNames: NameSource = (place) =>
  uniqueNames([
    ...(['name', 'generated'] as const).flatMap((symbol) => listDeclaredNames(place.site.definition, symbol)),
    ...listOutputNames(place),
    ...suggestPayloadFields(place),
    ...listDeclaredNames(place.site.definition, 'claim'),
  ]);

/** Columns of the single row returned by an earlier actionable, and protected values. */
function listOutputNames({ view: { registry }, site: { definition, levels } }: NameSourceInput): Name[] {
  if (definition?.sort !== 'resource') return [];
  const { sources, actions } = readResource(definition, { tables: NO_TABLES, registry, paths: new Map() });
  const action = actions.find(({ node }) => levels.some((level) => level.node === node));
  return sources
    .listNames(action?.key ?? null)
    .flatMap(({ sort, name, why }) =>
      sort === 'output'
        ? [{ name, detail: 'of the item that an earlier actionable gives' }]
        : why === 'property'
          ? [{ name, detail: 'hashed or encrypted' }]
          : [],
    );
}

const NO_TABLES = {
  findModel: () => undefined,
  getTable: (model: string) => model,
  listFields: () => [],
  listBlindFields: () => [],
  listAddedFields: () => [],
};

/** Claims that any resource reads from its token or issues in one, this one's first. */
export const suggestClaims: NameSource = (place) =>
  uniqueNames([
    ...listDeclaredNames(place.site.definition, 'claim'),
    ...listDefinitions(place).flatMap((definition) => listDeclaredNames(definition, 'issued-claim')),
    ...listDefinitions(place).flatMap((definition) => listDeclaredNames(definition, 'claim')),
  ]);

/** Claims that guards of the project read, for a resource that issues tokens. */
export const suggestReadClaims: NameSource = (place) =>
  uniqueNames(listDefinitions(place).flatMap((definition) => listDeclaredNames(definition, 'claim'))).map(
    ({ name }): Name => ({ name, detail: 'read by a guard' }),
  );

/** Undeclared names: fields for rules, values for `for`, claims. `symbol`: what this place declares. */
export function missingNames(
  { view: { registry }, site: { definition } }: NameSourceInput,
  symbol: SymbolKind,
): Name[] {
  if (definition === null) return [];
  const { finds } = definition;
  const isName = symbol === 'payload-field' || symbol === 'name' || symbol === 'generated';
  const known = new Set(
    finds.declarations.flatMap((one) =>
      one.symbol === symbol || (isName && one.symbol !== 'claim' && one.symbol !== 'action') ? [one.name] : [],
    ),
  );
  const bare = isName
    ? finds.references.flatMap(({ refers, name, node }) =>
        (refers.symbol === 'name' || refers.symbol === 'payload-field') && isIdentifier(name) && node.type === 'string'
          ? [String(name).split('.')[0] ?? '']
          : [],
      )
    : [];
  const read = finds.accessors.flatMap(({ parts }) =>
    parts.flatMap(({ root, tail }) =>
      tail[0] !== undefined && canReadSymbol(registry, root, isName, symbol) ? [tail[0]] : [],
    ),
  );
  const names = [...new Set([...bare, ...read])].filter((name) => name !== '' && !known.has(name));
  return names.map((name) => ({ name, detail: 'used in this definition' }));
}

const isIdentifier = (name: string | number): boolean => /^[A-Za-z_][\w.]*$/.test(String(name));

function canReadSymbol(registry: Registry, root: string, isName: boolean, symbol: SymbolKind): boolean {
  const facts = registry.listKinds(Slot.ACCESSOR).map(({ kind }) => registry.plugin(kind, root)?.facts)[0];
  return isName ? facts?.reads === 'payload' : facts?.tail === `declared:${symbol}`;
}

/** The highest number declared in the definition at the cursor. */
export const lastNumber =
  ({ definition }: NameSourceInput['site']) =>
  (symbol: SymbolKind): number =>
    Math.max(
      0,
      ...listDeclaredNames(definition, symbol)
        .map(({ name }) => Number(name))
        .filter(Number.isSafeInteger),
    );
