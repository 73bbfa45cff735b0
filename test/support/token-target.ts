/**
 * One resource for each way to verify tokens, and the assertions: a token is accepted, or rejected with the same
 * response as every other one. Shared by the suites of attacks.
 */
import { expect } from 'chai';
import { defineReturnResource } from './project.js';
import { startKernel, type TestKernel } from './kernel.js';
import { RSA_PUBLIC_PEM } from './rsa.js';
import { createBearerInit, KEY, OTHER_KEY } from './tokens.js';

export const defineTokenResource = (id: string, tokenize: object, more: object = {}): object => ({
  ...defineReturnResource(id, { id: '$PROTECTED.id' }),
  tokenize,
  protected: { extract_claims: ['id'], ...more },
});
export const HS = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.KEY' };

const FILES = {
  'definitions/a.json': [
    defineTokenResource('jwt', HS),
    defineTokenResource('custom', HS, { provide_as: 'X-Access-Token' }),
    defineTokenResource('other', { ...HS, encryption_key: '$ENV.OTHER_KEY' }),
    defineTokenResource('longer', { ...HS, algorithm: 'HS512' }),
    defineTokenResource('rsa', { type: 'JWT', algorithm: 'RS256', encryption_key: '$ENV.PUBLIC_PEM' }),
    defineTokenResource('sealed', { type: 'PASETO', encryption_key: '$ENV.KEY' }),
  ],
};

export const ENV = { KEY, OTHER_KEY, PUBLIC_PEM: RSA_PUBLIC_PEM };

export interface Target {
  readonly kernel: TestKernel;
  readonly isTaken: (init: RequestInit, path?: string) => Promise<void>;
  readonly isRejected: (init: RequestInit, what: string, path?: string) => Promise<void>;
  /** By the error of each. */
  readonly allRejected: (tokens: Readonly<Record<string, string>>, path?: string) => Promise<void>;
  /** Checks a response received in another way. */
  readonly checkRejection: (status: number, text: string, what: string) => void;
}

export async function startTarget(): Promise<Target> {
  const kernel = await startKernel({ files: FILES, env: ENV });
  let rejection: string | undefined;

  const isTaken = async (init: RequestInit, path = '/jwt'): Promise<void> => {
    const { status, text } = await kernel.post(path, {}, init);
    expect(status, `a sound token at ${path}: ${text}`).to.equal(200);
    expect(JSON.parse(text)).to.deep.equal({ id: 'ada' });
  };

  /** The same text and the same headers for every error. */
  const checkRejection = (status: number, text: string, what: string): void => {
    expect(status, `${what}: ${text}`).to.equal(401);
    const words = text.replace(/urn:request:[0-9a-f-]+/, '');
    rejection ??= words;
    expect(words, what).to.equal(rejection);
    expect(words).to.contain('TOK_REFUSED');
  };

  const isRejected = async (init: RequestInit, what: string, path = '/jwt'): Promise<void> => {
    const { status, text, headers } = await kernel.post(path, {}, init);
    checkRejection(status, text, what);
    expect(headers.get('www-authenticate'), what).to.equal(path === '/custom' ? null : 'Bearer');
  };

  const allRejected = async (tokens: Readonly<Record<string, string>>, path = '/jwt'): Promise<void> => {
    for (const [what, token] of Object.entries(tokens)) await isRejected(createBearerInit(token), what, path);
  };

  return { kernel, isTaken, isRejected, allRejected, checkRejection };
}
