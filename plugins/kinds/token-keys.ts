/**
 * What may be said of a key by its text alone: the checker says it of keys that stand in a definition, the runtimes of all.
 * Keys that everybody knows from documentation are listed here, and nowhere else. A key itself goes into no message.
 */
import type { CodeEntry } from '../../kernel/contract/problem.js';

/** Compared without case. */
const SAMPLE_KEYS: ReadonlySet<string> = new Set([
  'secret',
  'supersecret',
  'super-secret',
  'super_secret',
  'secretkey',
  'secret-key',
  'secret_key',
  'mysecret',
  'my-secret-key',
  'jwt_secret',
  'jwt-secret',
  'jwt_secret_key',
  'your-secret',
  'your-secret-key',
  'your_secret_key',
  'your_jwt_secret',
  'your-jwt-secret',
  'your-256-bit-secret',
  'your-384-bit-secret',
  'your-512-bit-secret',
  'a-string-secret-at-least-256-bits-long',
  'a-valid-string-secret-that-is-at-least-384-bits-long',
  'a-valid-string-secret-that-is-at-least-512-bits-long-which-is-very-long',
  'changeme',
  'change-me',
  'change_me',
  'changeit',
  'password',
  'example',
  'test',
  'undefined',
  'null',
  'replace-with-a-random-key',
  'yellow submarine, black wizardry',
]);

/** What is wrong with a key, and what would be right; null when nothing can be said against it. */
export function keyFlaw(key: string): string | null {
  if (key.trim() === '') return 'it is empty; write `$ENV.<NAME>` and set the variable to a random key';
  if (SAMPLE_KEYS.has(key.trim().toLowerCase()))
    return 'it is a sample that everybody knows; make a random one, such as `openssl rand -base64 48`';
  if ([...new Set(key)].length === 1) return 'it is one character over and over; make a random one';
  return null;
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
