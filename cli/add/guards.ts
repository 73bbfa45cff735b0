/** The guard that resources of a project have, and the column of the signed-in user. Pure. */
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { ModelTable } from '../../contract/model.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import type { RowOwner } from '../../language/export/crud/columns.js';
import type { CrudGuard } from '../../language/export/crud/resources.js';

const toTexts = (json: Json | undefined): string[] =>
  Array.isArray(json) ? (json as readonly Json[]).filter((one) => typeof one === 'string') : [];

/** Fields of `tokenize` that issue a token; the others verify one. */
const ISSUING = ['expiration', 'custom_claim_fields', 'property_name'];

/** That of most resources; null if no resource has one. */
export function findGuard({ resources }: Pick<Analysis, 'resources'>): CrudGuard | null {
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
  { resources }: Pick<Analysis, 'resources'>,
  { columns }: ModelTable,
  tables: readonly ModelTable[],
): RowOwner[] {
  const byModel = new Map(tables.map(({ model, table }) => [model, table]));
  const issued = resources.flatMap(({ value, actions }) => {
    const { tokenize } = value;
    const claims = isObject(tokenize) ? toTexts((tokenize as JsonObject)['custom_claim_fields']) : [];
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
