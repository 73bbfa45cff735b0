/** Errors at startup: invalid keys, nonces and additional data. And nonces that tests may fix. */
import { expect } from 'chai';
import { BootError } from '../../contract/boot-error.js';
import { startKernel } from '../support/kernel.js';

interface Options {
  readonly key?: string;
  readonly nonce?: string;
  readonly aad?: string;
  readonly encoding?: string;
}

const KEY = 'canary-field-key-Qm7xT2vLs9Rw4Zk';
const sealing = (id: string, options: Options, algorithm = 'Aes256Gcm'): object => ({
  id,
  resource: id,
  actionables: [
    {
      id: 1,
      mode: 'RETURN',
      value: { stored: '$PAYLOAD.secret' },
      ciphers: [
        { operation: 'Encrypt', properties: ['secret'], algorithm, options: { key: '$ENV.FIELD_KEY', ...options } },
      ],
    },
  ],
  returnables: ['stored'],
});

/** Code and message parameters of the startup error; null without one. */
async function findStartError(
  options: Options,
  { key = KEY, algorithm = 'Aes256Gcm', testing = false, text = '' } = {},
): Promise<{ readonly code: string; readonly message: string } | null> {
  try {
    const kernel = await startKernel({
      files: { 'definitions/a.json': [sealing('a', options, algorithm)] },
      config: testing ? { testing } : {},
      env: { FIELD_KEY: key, TEXT: text },
    });
    await kernel.close();
    return null;
  } catch (error) {
    if (error instanceof BootError) return { code: error.code, message: JSON.stringify(error.params) };
    return { code: 'other', message: String(error) };
  }
}

describe('ciphers at load', () => {
  it('accept keys as text of their size, as hexadecimal digits and in Base64', async () => {
    const bytes = Buffer.from(KEY);
    const keys = [KEY, `hex:${bytes.toString('hex')}`, `hex:${bytes.toString('hex').toUpperCase()}`];
    const base64 = ['base64', 'base64url'] as const;
    keys.push(...base64.map((form) => `base64:${bytes.toString(form)}`));
    for (const key of keys) expect(await findStartError({}, { key }), key).to.equal(null);
    expect(await findStartError({}, { key: 'é'.repeat(16) })).to.equal(null);
    expect(await findStartError({}, { key: KEY.slice(16), algorithm: 'Ascon128a' })).to.equal(null);
  });

  it('reject keys of another size, sample keys, and other text after a prefix', async () => {
    const keys = [
      KEY.slice(1),
      `${KEY}x`,
      ' '.repeat(32),
      'é'.repeat(32),
      `hex:${'zz'.repeat(32)}`,
      `hex:${'0a'.repeat(31)}`,
      `base64:${'A'.repeat(42)}B`,
      `base64:${'!'.repeat(43)}`,
      'replace-with-a-random-key-------',
    ];
    for (const key of keys) {
      const answer = await findStartError({}, { key });
      expect(answer, key).not.to.equal(null);
      expect(answer?.message, 'the key itself is in no message').not.to.contain(key);
    }
    expect((await findStartError({}, { key: `hex:${'zz'.repeat(32)}` }))?.code).to.equal('CPH_KEY');
    expect((await findStartError({}, { key: 'replace-with-a-random-key-------' }))?.code).to.equal('CPH_KEY');
  });

  it('accept additional data of the environment with its prefix, and reject invalid data', async () => {
    expect(await findStartError({ aad: '$ENV.TEXT' }, { text: 'hex:00ff' })).to.equal(null);
    expect((await findStartError({ aad: '$ENV.TEXT' }, { text: 'hex:0' }))?.code).to.equal('CPH_AAD');
  });

  it('reject a nonce that is written in the definition', async () => {
    expect(await findStartError({ nonce: 'n'.repeat(12) })).not.to.equal(null);
    expect(await findStartError({ nonce: '$ENV.TEXT' }, { text: 'n'.repeat(12) })).not.to.equal(null);
  });

  it('accept one in tests, of the correct size', async () => {
    const testing = true;
    expect(await findStartError({ nonce: 'n'.repeat(12) }, { testing })).to.equal(null);
    expect(await findStartError({ nonce: 'n'.repeat(11) }, { testing })).not.to.equal(null);
    expect((await findStartError({ nonce: '$ENV.TEXT' }, { testing, text: 'short' }))?.code).to.equal('CPH_NONCE');
  });

  it('create the same ciphertext for the same value under a fixed nonce, and another one for everything else', async () => {
    const fixed = { nonce: 'hex:000102030405060708090a0b' };
    const resources = [
      sealing('a', fixed),
      sealing('b', fixed),
      sealing('aad', { ...fixed, aad: 'x' }),
      sealing('aad-hex', { ...fixed, aad: 'hex:78' }),
      sealing('other', fixed, 'ChaCha20Poly1305'),
      sealing('hex', { ...fixed, encoding: 'Hex' }),
    ];
    const kernel = await startKernel({
      files: { 'definitions/a.json': resources },
      config: { testing: true },
      env: { FIELD_KEY: KEY },
    });
    try {
      const readStored = async (id: string, secret: unknown): Promise<string> =>
        String((await kernel.post(`/${id}`, { secret })).body['stored']);
      const text = await readStored('a', 'value');
      expect(await readStored('a', 'value')).to.equal(text);
      expect(await readStored('b', 'value')).to.equal(text);
      expect(await readStored('aad-hex', 'value')).to.equal(await readStored('aad', 'value'));
      const others = [
        await readStored('a', 'valus'),
        await readStored('aad', 'value'),
        await readStored('other', 'value'),
      ];
      expect(new Set([text, ...others]).size).to.equal(4);
      const bytes = Buffer.from(text, 'base64');
      expect(await readStored('hex', 'value')).to.equal(bytes.toString('hex'));
      // Version, nonce, the value as JSON, tag.
      expect(bytes).to.have.length(1 + 12 + '"value"'.length + 16);
      expect(bytes.subarray(0, 13).toString('hex')).to.equal('01000102030405060708090a0b');
    } finally {
      await kernel.close();
    }
  });
});
