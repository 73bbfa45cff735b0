/** The operations of all files, and how one line of cases becomes one line of results. */
import { ops as bcrypt } from './bcrypt.js';
import { ops as ciphers } from './ciphers.js';
import { ops as calls } from './calls.js';
import { ops as cron } from './cron.js';
import { ops as idCheck } from './id-check.js';
import { ops as jsonBody } from './json-body.js';
import { ops as mongo } from './mongo.js';
import { ops as multipart } from './multipart.js';
import { ops as rules } from './rules.js';
import { ops as storageKey } from './storage-key.js';
import { ops as strings } from './strings.js';
import { ops as token } from './token.js';
import { ops as webhook } from './webhook.js';
import type { Ops, Outcome } from './ops.js';

export const OPS: Ops = {
  ...bcrypt,
  ...calls,
  ...ciphers,
  ...cron,
  ...idCheck,
  ...jsonBody,
  ...mongo,
  ...multipart,
  ...rules,
  ...storageKey,
  ...strings,
  ...token,
  ...webhook,
};

/** An invalid line is a result too, which the caller must see. */
export async function runLine(name: string, line: string): Promise<Outcome & { readonly id: unknown }> {
  let id: unknown = null;
  try {
    const input = JSON.parse(line) as Record<string, unknown>;
    id = input['id'] ?? null;
    const op = Object.hasOwn(OPS, name) ? OPS[name] : undefined;
    if (op === undefined) return { id, ok: false, error: `there is no operation ${name}` };
    return { id, ...(await op(input)) };
  } catch (error) {
    return { id, ok: false, error: error instanceof Error ? error.message : 'refused' };
  }
}
