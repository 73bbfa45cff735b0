/**
 * `token.verify`: the value of `Authorization` against a fragment of `tokenize` and a key in hex. With `stage:
 * "integrity"` format, encoding, algorithm and signature are checked, and not the claims. The code is the plugins' own.
 */
import { createTokenReader } from '../../plugins/tokens/shared/header.light.js';
import { TokenRefused } from '../../plugins/tokens/kind.js';
import { DEFAULT_ALGORITHM } from '../../plugins/tokens/jwt/algorithms.light.js';
import { createJwtKeys } from '../../plugins/tokens/jwt/keys.js';
import { createJwtTool, openJwt } from '../../plugins/tokens/jwt/runtime.js';
import { openLocal } from '../../plugins/tokens/paseto/local.js';
import { createPasetoTool } from '../../plugins/tokens/paseto/runtime.js';
import { readHexInput, readTextInput, type Ops, type Outcome } from './ops.js';

const read = createTokenReader('Authorization');

type Input = Readonly<Record<string, unknown>>;

async function verify(input: Input): Promise<Outcome> {
  const { type, algorithm } = (input['tokenize'] ?? {}) as Readonly<Record<string, string | undefined>>;
  const key = readHexInput(input, 'key');
  const now = typeof input['now'] === 'number' ? input['now'] : Date.now();
  try {
    const token = read([readTextInput(input, 'header')]);
    if (type === 'JWT') return await verifyJwt(token, algorithm ?? DEFAULT_ALGORITHM, key, now, input);
    if (type === 'PASETO' && (algorithm ?? 'v4.local') === 'v4.local') return await verifyLocal(token, key, now, input);
    return { ok: false, error: 'UNSUPPORTED' };
  } catch (error) {
    if (error instanceof TokenRefused) return { ok: false, error: error.reason };
    throw error;
  }
}

async function verifyJwt(token: string, algorithm: string, key: Buffer, now: number, input: Input): Promise<Outcome> {
  const keys = createJwtKeys(algorithm, { algorithm, key, issues: false, place: 'conform' });
  if (input['stage'] === 'integrity') return { ok: true, out: await openJwt(token, algorithm, keys) };
  const { claims } = await createJwtTool(algorithm, keys).verify(token, now);
  return { ok: true, out: claims };
}

async function verifyLocal(token: string, key: Buffer, now: number, input: Input): Promise<Outcome> {
  if (input['stage'] !== 'integrity') return { ok: true, out: (await createPasetoTool(key).verify(token, now)).claims };
  const { text, footer } = await openLocal(token, key, Buffer.from(readTextInput(input, 'implicit')));
  return { ok: true, out: text, footer };
}

export const ops: Ops = { 'token.verify': verify };
