/**
 * Finds placeholders of other libraries (`?`, `:id`, `%s`) in statements that do not parse: they are also valid SQL.
 */
import type { StatementText } from '../../../../contract/statement-text.js';

export interface ForeignPlaceholder {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly n: number;
}

export function findForeignPlaceholders({ text, tokens, placeholders }: StatementText): ForeignPlaceholder[] {
  const used = new Set(placeholders.map(({ n }) => n));
  const numbers = new Map<string, number>();
  let next = 1;
  const nextFreeNumber = (): number => {
    while (used.has(next)) next += 1;
    return next++;
  };
  const found: ForeignPlaceholder[] = [];
  tokens.forEach(({ type, end }, i) => {
    if (type !== 'operator') return;
    const follower = tokens[i + 1];
    const word = follower?.type === 'word' && follower.start === end ? follower : null;
    const sign = text[end - 1] ?? '';
    const last = findPlaceholderEnd(sign, end, word && { end: word.end, text: text.slice(word.start, word.end) });
    if (last === null) return;
    const written = text.slice(end - 1, last);
    const known = sign === '?' ? undefined : numbers.get(written);
    const n = known ?? nextFreeNumber();
    numbers.set(written, n);
    found.push({ text: written, start: end - 1, end: last, n });
  });
  return found;
}

function findPlaceholderEnd(
  sign: string,
  end: number,
  word: { readonly end: number; readonly text: string } | null,
): number | null {
  if (sign === '?') return end;
  if (word === null) return null;
  if (sign === ':' || sign === '@') return word.end;
  return sign === '%' && /^[sdif]$/.test(word.text) ? word.end : null;
}
