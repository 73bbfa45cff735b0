/** The conformance operations of bcrypt, through the plugin's own code: bytes in, a hash or an answer out. */
import { hashBytes, verifyBytes } from '../../plugins/hashers/bcrypt/bcrypt.js';
import { freshSalt } from '../../plugins/hashers/shared/salt.js';

export interface Outcome {
  readonly ok: boolean;
  readonly out?: unknown;
  readonly error?: string;
}

export type Operation = (input: Readonly<Record<string, unknown>>) => Promise<Outcome>;

const bytes = (hex: unknown): Buffer => Buffer.from(String(hex), 'hex');

export const ops: Readonly<Record<string, Operation>> = {
  'bcrypt.verify': async ({ password, hash }) => ({ ok: await verifyBytes(bytes(password), String(hash)) }),
  'bcrypt.hash': async ({ password, cost }) => {
    try {
      return { ok: true, out: await hashBytes(bytes(password), Number(cost), freshSalt('')) };
    } catch (error) {
      return { ok: false, error: String(error) };
    }
  },
};
