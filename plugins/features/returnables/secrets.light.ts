/** Finds secrets that a response contains under names that neither hide them nor are listed. */
import type { Json, JsonObject } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { toObjects } from '../shared/deferred-parts.light.js';
import { isPathReturned } from '../shared/listed-names.light.js';

/** `main`: index of the actionable that provides the response. `listed`: null for all. */
export function findSecretsReturned(
  { root, actions }: CheckPlace,
  main: number,
  listed: readonly string[] | null,
): Finding[] {
  const written = toObjects(root['actionables']);
  const merged = [...listIds(root), ...listIds(written[main] ?? {})];
  const shown = actions.filter(({ index }) => index === main || merged.includes(written[index]?.['id'] ?? null));
  return shown.flatMap(({ index, openSecrets }) =>
    openSecrets.flatMap(({ at, name, path }) =>
      isPathReturned(path, listed) ? [{ code: 'RET_SECRET', at: `/actionables/${index}${at}`, params: { name } }] : [],
    ),
  );
}

const listIds = ({ combine_returned_results_from: ids }: JsonObject): readonly Json[] =>
  Array.isArray(ids) ? (ids as readonly Json[]) : [];
