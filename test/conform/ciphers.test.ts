/** The operations of ciphers that the published vectors do not reach: the stored form of a field, and wrong questions. */
import { expect } from 'chai';
import { CIPHERS, ENCODINGS, ops } from './ciphers.js';
import type { Outcome } from './ops.js';

const runOperation = async (op: string, input: Readonly<Record<string, unknown>>): Promise<Outcome> => {
  const run = ops[op];
  if (run === undefined) throw new Error(`there is no ${op}`);
  return run(input);
};
const createKey = (alg: string): string => '0f'.repeat(CIPHERS[alg]?.keyBytes ?? 0);

describe('conformance operations of field ciphers', () => {
  for (const alg of Object.keys(CIPHERS)) {
    it(`${alg}: decrypts what it encrypted, in every encoding, and with no other key`, async () => {
      for (const encoding of Object.keys(ENCODINGS)) {
        const given = { alg, encoding, key: createKey(alg), aad: '0102' };
        const { out } = await runOperation('field.encrypt', { ...given, value: { a: [1, 'é'] } });
        expect(out).to.be.a('string');
        expect(await runOperation('field.decrypt', { ...given, value: out })).to.deep.equal({
          ok: true,
          out: { a: [1, 'é'] },
        });
        for (const other of [{ aad: '' }, { aad: '010200' }, { key: createKey(alg).replace('0f', '1f') }]) {
          expect((await runOperation('field.decrypt', { ...given, ...other, value: out })).ok).to.equal(false);
        }
      }
    });
  }

  it('rejects a value that another algorithm with the same sizes encrypted', async () => {
    const pairs = [
      ['Aes256Gcm', 'ChaCha20Poly1305'],
      ['XChaCha20Poly1305', 'XSalsa20Poly1305'],
    ] as const;
    for (const [one, other] of pairs) {
      const given = { encoding: 'Hex', key: createKey(one), aad: '' };
      const { out } = await runOperation('field.encrypt', { ...given, alg: one, value: 1 });
      expect((await runOperation('field.decrypt', { ...given, alg: one, value: out })).ok).to.equal(true);
      expect((await runOperation('field.decrypt', { ...given, alg: other, value: out })).ok).to.equal(false);
    }
  });

  it('binds the algorithm: the bare cipher opens the value only with its additional data', async () => {
    const given = { alg: 'Aes256Gcm', key: createKey('Aes256Gcm') };
    const { out } = await runOperation('field.encrypt', { ...given, encoding: 'Hex', aad: 'ab', value: 'text' });
    const stored = Buffer.from(String(out), 'hex');
    const open = (aad: Buffer) =>
      runOperation('aead.open', {
        ...given,
        nonce: stored.subarray(1, 13).toString('hex'),
        aad: aad.toString('hex'),
        data: stored.subarray(13).toString('hex'),
      });
    const bound = Buffer.concat([Buffer.from('lintel ciphers 1 Aes256Gcm\0'), Buffer.of(0xab)]);
    expect(await open(bound)).to.deep.equal({ ok: true, out: Buffer.from('"text"').toString('hex') });
    expect((await open(Buffer.of(0xab))).ok).to.equal(false);
  });

  it('never repeats a nonce', async () => {
    const given = { alg: 'Aes256Gcm', key: createKey('Aes256Gcm'), encoding: 'Hex', aad: '', value: null };
    const nonces = new Set<string>();
    for (let i = 0; i < 3000; i++) nonces.add(String((await runOperation('field.encrypt', given)).out).slice(2, 26));
    expect(nonces.size).to.equal(3000);
  });
});
