/** The nearest legal name to one that is not: for messages and quick fixes. */
import { distance } from 'fastest-levenshtein';

/** Undefined when nothing is near enough to be worth saying. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(name);
  let best: string | undefined;
  let bestScore = Math.max(1, Math.floor(name.length / 3)) + 0.5;
  for (const candidate of candidates) {
    if (candidate === name) continue;
    const score = slips(wanted, fold(candidate));
    // Nothing of the name is left when every letter has to change.
    if (score < bestScore && score < wanted.length) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

/** Case and separators are the commonest slips: `resourceId`, `RESOURCE-ID` and `resource_id` are one name. */
const fold = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, '');

/** Edits between two words; two neighbours that changed places (`slef`) are one slip, not two. */
function slips(a: string, b: string): number {
  if (a === b) return 0;
  const edits = distance(a, b);
  if (edits !== 2 || a.length !== b.length) return edits;
  const at = a.split('').findIndex((letter, i) => letter !== b[i]);
  const swapped = a.slice(0, at) + (a[at + 1] ?? '') + (a[at] ?? '') + a.slice(at + 2);
  return swapped === b ? 1 : edits;
}
