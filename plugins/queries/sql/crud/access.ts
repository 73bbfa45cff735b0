/** The guard that resources of a project have, and the column of the signed-in user. Pure. */
import { isObject, type Json, type JsonObject } from '../../../../contract/json.js';
import type { ModelTable } from '../../../../contract/model.js';
import type { RowOwner } from './columns.js';

export interface CrudGuard {
  /** `tokenize` and `protected`, as other resources of the project have them. */
  readonly fields: JsonObject;
  readonly claims: readonly string[];
}

/** A resource of the project, with the models that its actionables use. */
export interface KnownResource {
  readonly value: Readonly<Record<string, Json>>;
  readonly actions: readonly { readonly models: readonly string[] }[];
}

const toTexts = (json: Json | undefined): string[] =>
  Array.isArray(json) ? (json as readonly Json[]).filter((one) => typeof one === 'string') : [];

/** Fields of `tokenize` that issue a token; the others verify one. */
const ISSUING = ['expiration', 'custom_claim_fields', 'property_name'];

/** That of most resources; null if no resource has one. */
export function findGuard(resources: readonly KnownResource[]): CrudGuard | null {
  const counts = new Map<string, { guard: CrudGuard; count: number }>();
  for (const { value } of resources) {
    const { tokenize, protected: guard } = value;
    if (!isObject(guard) || !isObject(tokenize)) continue;
    const verifying = Object.fromEntries(Object.entries(tokenize).filter(([name]) => !ISSUING.includes(name)));
    const { extract_claims: claims, ...rest } = guard;
    const key = JSON.stringify([verifying, rest]);
    const found = counts.get(key) ?? {
      guard: { fields: { tokenize: verifying, protected: guard }, claims: toTexts(claims) },
      count: 0,
    };
    counts.set(key, { ...found, count: found.count + 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)[0]?.guard ?? null;
}

/** With the claims that its resources read. */
export function limitClaims({ fields }: CrudGuard, claims: readonly string[]): CrudGuard {
  const guard = fields['protected'];
  return { fields: { ...fields, protected: { ...(isObject(guard) && guard), extract_claims: claims } }, claims };
}

/** Columns that refer to the rows for which tokens are issued, by the claim with their key. */
export function listOwners(
  resources: readonly KnownResource[],
  { columns }: ModelTable,
  tables: readonly ModelTable[],
): RowOwner[] {
  const byModel = new Map(tables.map(({ model, table }) => [model, table]));
  const issued = resources.flatMap(({ value, actions }) => {
    const { tokenize } = value;
    const claims = isObject(tokenize) ? toTexts(tokenize['custom_claim_fields']) : [];
    if (claims.length === 0) return [];
    return actions.flatMap(({ models }) =>
      models.flatMap((model) => claims.map((claim) => `${byModel.get(model)} ${claim}`)),
    );
  });
  return columns.flatMap(({ name, references }) =>
    references !== null && issued.includes(`${references.table} ${references.column}`)
      ? [{ column: name, claim: references.column }]
      : [],
  );
}

export interface Access {
  readonly guard: CrudGuard | null;
  readonly owner: RowOwner | null;
}

export interface AccessInput {
  readonly resources: readonly KnownResource[];
  readonly table: ModelTable;
  readonly tables: readonly ModelTable[];
  /** The column of the owner, if the caller says it. */
  readonly wanted: string | undefined;
}

/** Returns a message if the owner is not certain or not possible. */
export function findAccess({ resources, table, tables, wanted }: AccessInput): Access | string {
  const guard = findGuard(resources);
  const owners = guard === null ? [] : listOwners(resources, table, tables);
  if (wanted === undefined) {
    const [owner = null, second] = owners;
    if (second !== undefined)
      return `Several columns refer to the signed-in user: ${owners.map(({ column }) => column).join(', ')}. Say which with --owner.`;
    return { guard: guard && limitClaims(guard, owner === null ? [] : [owner.claim]), owner };
  }
  if (guard === null)
    return 'An owner needs a signed-in user, and no resource has `protected` and `tokenize`: write one that issues tokens first.';
  const column = table.columns.find(({ name }) => name === wanted);
  const known = owners.find((one) => one.column === wanted)?.claim;
  const claim = known ?? [column?.references?.column, wanted, 'id'].find((name) => guard.claims.includes(name ?? ''));
  if (claim === undefined)
    return `No claim of the project's tokens is that of "${wanted}": its resources read ${guard.claims.join(', ') || 'none'}.`;
  return { guard: limitClaims(guard, [claim]), owner: { column: wanted, claim } };
}
