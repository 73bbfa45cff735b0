/** The nearest legal name to one that is not: for messages and quick fixes. */
import { distance } from 'fastest-levenshtein';

/** Undefined when nothing is near enough to be worth saying. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const names = [...candidates];
  const best = fewestSlips(name, names);
  if (best !== undefined && slips(fold(name), fold(best)) <= 1) return best;
  // `HmacVerifier` has two of the three words of one name, and only one word of any other.
  return onlyHolder(name, names) ?? best;
}

/** The candidate that differs from the name in a letter, in case or in separators: surely the same word. */
export function misspelt(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length < 4) return undefined;
  return [...candidates].find((candidate) => candidate !== name && slips(fold(name), fold(candidate)) <= 1);
}

function fewestSlips(name: string, candidates: readonly string[]): string | undefined {
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

/** The one candidate that has all words of the name, in their order, or that begins with it. */
function onlyHolder(name: string, candidates: readonly string[]): string | undefined {
  const wanted = wordsOf(name);
  const letters = wanted.join('').length;
  if (letters < 4) return undefined;
  const [only, other] = candidates.filter((candidate) => {
    if (candidate === name) return false;
    if (fold(candidate).startsWith(fold(name))) return true;
    const words = wordsOf(candidate);
    let at = -1;
    return words.length > wanted.length && wanted.every((word) => (at = words.indexOf(word, at + 1)) !== -1);
  });
  return other === undefined ? only : undefined;
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

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
