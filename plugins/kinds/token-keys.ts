/**
 * What may be said of a key by its text alone: the checker says it of keys that stand in a definition, the runtimes of all.
 * A key itself goes into no message.
 */
import { accessorsIn } from '../../kernel/language/accessor.js';
import { isSampleSecret } from '../../kernel/language/sample-secrets.js';
import type { CodeEntry } from '../../kernel/contract/problem.js';

/** What is wrong with a key, and what would be right; null when nothing can be said against it. */
export function keyFlaw(key: string): string | null {
  if (key.trim() === '') return 'it is empty; write `$ENV.<NAME>` and set the variable to a random key';
  if (isSampleSecret(key))
    return 'it is a sample that everybody knows; make a random one, such as `openssl rand -base64 48`';
  return null;
}

/** The variable that holds the key, where the text is exactly that; null for a key that is written out. */
export function variableOf(text: string): string | null {
  const [only] = accessorsIn(text);
  return only === undefined ? null : (only.tail[0] ?? '');
}

/** Bytes of a text in UTF-8, without a platform's help. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

export const TOK_KEY: CodeEntry = {
  severity: 'error',
  title: 'Key cannot be used',
  message: 'The `encryption_key` of {place} cannot be used: {what}.',
  help: 'Keep keys in the environment, random, and one for each purpose.',
};
