/** Finds the valid name nearest to an invalid one. */
import { distance } from 'fastest-levenshtein';

/** Returns undefined if no candidate is near enough. */
export function findNearest(name: string, candidates: Iterable<string>): string | undefined {
  const names = [...candidates];
  const best = findClosest(name, names);
  if (best !== undefined && countSlips(normalizeName(name), normalizeName(best)) <= 1) return best;
  // `HmacVerifier` shares two of three words with one name, and one with others.
  return findOnlyHolder(name, names) ?? best;
}

/** A candidate that differs only in one letter, case or separators. */
export function findMisspelling(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length < 4) return undefined;
  return [...candidates].find(
    (candidate) => candidate !== name && countSlips(normalizeName(name), normalizeName(candidate)) <= 1,
  );
}

function findClosest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = normalizeName(name);
  let best: string | undefined;
  let bestScore = Math.max(1, Math.floor(name.length / 3)) + 0.5;
  for (const candidate of candidates) {
    if (candidate === name) continue;
    const score = countSlips(wanted, normalizeName(candidate));
    // If every letter has to change, the names are unrelated.
    if (score < bestScore && score < wanted.length) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

/** The only candidate that contains all words in order, or starts with the name. */
function findOnlyHolder(name: string, candidates: readonly string[]): string | undefined {
  const wanted = splitWords(name);
  const letters = wanted.join('').length;
  if (letters < 4) return undefined;
  const [only, other] = candidates.filter((candidate) => {
    if (candidate === name) return false;
    if (normalizeName(candidate).startsWith(normalizeName(name))) return true;
    const words = splitWords(candidate);
    let at = -1;
    return words.length > wanted.length && wanted.every((word) => (at = words.indexOf(word, at + 1)) !== -1);
  });
  return other === undefined ? only : undefined;
}

const splitWords = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

/** Ignores case and separators: `resourceId`, `RESOURCE-ID` and `resource_id` are equal. */
const normalizeName = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, '');

/** Edit distance; two swapped neighbours (`slef`) count as one edit. */
function countSlips(a: string, b: string): number {
  if (a === b) return 0;
  const edits = distance(a, b);
  if (edits !== 2 || a.length !== b.length) return edits;
  const at = a.split('').findIndex((letter, i) => letter !== b[i]);
  const swapped = a.slice(0, at) + (a[at + 1] ?? '') + (a[at] ?? '') + a.slice(at + 2);
  return swapped === b ? 1 : edits;
}
