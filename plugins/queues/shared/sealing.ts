/** Encrypts stored jobs with a key bound to the job id. Text stored before there was a key remains readable. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { BootError } from '../../../contract/boot-error.js';
import { QUEUE_KEY, QUEUE_KEY_BYTES } from './key.light.js';

export interface Sealing {
  seal(id: string, text: string): string;
  /** Null when the key is missing or wrong. */
  open(id: string, kept: string): string | null;
}

const PREFIX = 'sealed.1.';
const CIPHER = 'aes-256-gcm';
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

const PLAIN: Sealing = {
  seal: (_id, text) => text,
  open: (_id, kept) => (kept.startsWith(PREFIX) ? null : kept),
};

/** `secret`: at least 32 bytes; undefined or empty: no encryption. Throws BootError for a shorter one. */
export function createSealing(secret: string | undefined): Sealing {
  if (secret === undefined || secret === '') return PLAIN;
  const bytes = Buffer.byteLength(secret);
  if (bytes < QUEUE_KEY_BYTES)
    throw new BootError('JOB_KEY', {
      name: QUEUE_KEY,
      what: `has ${bytes} bytes and needs at least ${QUEUE_KEY_BYTES}`,
    });
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'lintel queue 1', 32));
  const toAad = (id: string): Buffer => Buffer.from(`lintel queue 1\0${id}`);
  return {
    seal(id, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(toAad(id));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return PREFIX + sealed.toString('base64url');
    },
    open(id, kept) {
      if (!kept.startsWith(PREFIX)) return kept;
      const sealed = Buffer.from(kept.slice(PREFIX.length), 'base64url');
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(toAad(id));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString();
      } catch {
        return null;
      }
    },
  };
}
