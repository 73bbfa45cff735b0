/** The nearest legal name to one that is not: for messages and quick fixes. */
import { distance } from 'fastest-levenshtein';

/** Undefined when nothing is near enough to be worth saying. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestScore = Math.max(1, Math.floor(name.length / 3)) + 0.5;
  for (const candidate of candidates) {
    if (candidate === name) continue;
    const sameFolded = fold(candidate) === fold(name);
    const score = sameFolded ? 0 : distance(fold(name), fold(candidate));
    if (score < bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

/** Case and separators are the commonest slips: `resourceId`, `RESOURCE-ID` and `resource_id` are one name. */
const fold = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, '');
