/** Validates a key by its text, for the checker and the runtimes. Messages never contain a key. */
import { listAccessors } from '../../../language/strings/accessor.js';
import { isSampleSecret } from '../../../language/strings/sample-secrets.js';
import type { CodeEntry } from '../../../contract/problem.js';

/** Why a key is invalid, with a suggestion; null when no flaw is known. */
export function findKeyFlaw(key: string): string | null {
  if (key.trim() === '') return 'it is empty; write `$ENV.<NAME>` and set the variable to a random key';
  if (isSampleSecret(key)) return 'it is a known sample; generate a random one, such as `openssl rand -base64 48`';
  return null;
}

/** The variable of an accessor text; null for a literal key. */
export function getVariableName(text: string): string | null {
  const [only] = listAccessors(text);
  return only === undefined ? null : (only.tail[0] ?? '');
}

/** UTF-8 length without platform APIs. */
export function getByteLength(text: string): number {
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
