/** Contract of ciphers: restore what they encrypted, and nothing if a single bit differs. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Cipher } from '../../plugins/ciphers/kind.js';
import type { Plugins } from './kind-support.js';
import { fc } from '../support/properties.js';

const NOTHING = Buffer.alloc(0);
const LARGE = 1_048_576;
const SIZES = [0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 4096, LARGE];

/** The same bytes with one bit of one of them changed. */
function flipBit(bytes: Uint8Array, at: number, bit = 0): Buffer {
  const other = Buffer.from(bytes);
  other[at] = (other[at] ?? 0) ^ (1 << bit);
  return other;
}

export function cipherContract(plugins: Plugins, name: string): void {
  describe(`cipher ${name}`, () => {
    let cipher: Cipher;
    before(async () => void (cipher = await plugins.handle<Cipher>('cipher', name)));
    const make = () => ({ key: randomBytes(cipher.keyBytes), nonce: randomBytes(cipher.nonceBytes) });

    it('declares its sizes', () => {
      expect(plugins.fact('cipher', name, 'keyBytes')).to.equal(cipher.keyBytes);
      expect(plugins.fact('cipher', name, 'nonceBytes')).to.equal(cipher.nonceBytes);
    });

    for (const size of SIZES) {
      it(`restores ${size} bytes, whatever the additional data`, () => {
        const plain = randomBytes(size);
        const texts = [NOTHING, Buffer.from('a'), randomBytes(16), randomBytes(100)];
        for (const aad of size === LARGE ? texts.slice(-1) : texts) {
          const { key: bytes, nonce } = make();
          const key = cipher.key(bytes);
          const sealed = key.seal(nonce, plain, aad);
          expect(sealed.length).to.equal(size + 16);
          expect(Buffer.from(key.open(nonce, sealed, aad) ?? 'nothing').equals(plain)).to.equal(true);
          // Nothing of one call is left for the next.
          expect(Buffer.from(cipher.key(bytes).seal(nonce, plain, aad)).equals(sealed)).to.equal(true);
        }
      });
    }

    it('accepts any bytes and any additional data', () => {
      const generateBytes = (max: number) => fc.uint8Array({ maxLength: max });
      fc.assert(
        fc.property(generateBytes(200), generateBytes(60), (plain, aad) => {
          const { key: secret, nonce } = make();
          const key = cipher.key(secret);
          const sealed = key.seal(nonce, plain, aad);
          expect(Buffer.from(key.open(nonce, sealed, aad) ?? 'nothing').equals(plain)).to.equal(true);
        }),
        { numRuns: 200 },
      );
    });

    it('rejects a value with one changed bit, at any position', () => {
      for (const size of [0, 1, 16, 40]) {
        const { key: bytes, nonce } = make();
        const key = cipher.key(bytes);
        const aad = Buffer.from('customer');
        const sealed = key.seal(nonce, randomBytes(size), aad);
        for (let at = 0; at < sealed.length; at++) {
          for (const bit of [0, 3, 7]) expect(key.open(nonce, flipBit(sealed, at, bit), aad), `${at}`).to.equal(null);
        }
        for (let at = 0; at < nonce.length; at++) expect(key.open(flipBit(nonce, at), sealed, aad)).to.equal(null);
        for (let at = 0; at < aad.length; at++) expect(key.open(nonce, sealed, flipBit(aad, at))).to.equal(null);
        for (let at = 0; at < bytes.length; at++) {
          expect(cipher.key(flipBit(bytes, at, 7)).open(nonce, sealed, aad)).to.equal(null);
        }
      }
    });

    it('rejects a truncated or extended value, and other additional data', () => {
      const { key: bytes, nonce } = make();
      const key = cipher.key(bytes);
      const aad = Buffer.from('customer');
      const sealed = Buffer.from(key.seal(nonce, Buffer.from('plain text of some length'), aad));
      for (let length = 0; length < sealed.length; length++) {
        expect(key.open(nonce, sealed.subarray(0, length), aad), `${length}`).to.equal(null);
        expect(key.open(nonce, sealed.subarray(sealed.length - length), aad), `-${length}`).to.equal(null);
      }
      expect(key.open(nonce, Buffer.concat([sealed, Buffer.alloc(1)]), aad)).to.equal(null);
      for (const other of ['', 'custome', 'customers', 'Customer', '\0customer', 'customer\0']) {
        expect(key.open(nonce, sealed, Buffer.from(other)), other).to.equal(null);
      }
      const bare = key.seal(nonce, Buffer.from('x'), NOTHING);
      expect(key.open(nonce, bare, Buffer.from('\0'))).to.equal(null);
    });

    it('rejects a key and a nonce of another size', () => {
      const { key: bytes, nonce } = make();
      for (const size of [0, 1, 8, 12, 16, 24, 31, 32, 33, 64]) {
        if (size !== cipher.keyBytes) expect(() => cipher.key(randomBytes(size)), `${size}`).to.throw(RangeError);
        if (size === cipher.nonceBytes) continue;
        const key = cipher.key(bytes);
        const sealed = key.seal(nonce, Buffer.from('x'), NOTHING);
        expect(() => key.seal(randomBytes(size), Buffer.from('x'), NOTHING), `${size}`).to.throw(RangeError);
        expect(key.open(randomBytes(size), sealed, NOTHING), `${size}`).to.equal(null);
      }
    });

    it('does not change its arguments', () => {
      const { key: bytes, nonce } = make();
      const given = [bytes, nonce, randomBytes(33), Buffer.from('customer')] as const;
      const before = given.map((one) => Buffer.from(one));
      const key = cipher.key(given[0]);
      const sealed = key.seal(given[1], given[2], given[3]);
      const kept = Buffer.from(sealed);
      key.open(given[1], sealed, given[3]);
      key.open(given[1], sealed, Buffer.from('another'));
      expect(given.every((one, i) => before[i]?.equals(one))).to.equal(true);
      expect(kept.equals(sealed)).to.equal(true);
    });

    it('encrypts equal texts differently with different nonces', () => {
      const { key: bytes } = make();
      const key = cipher.key(bytes);
      const sealed = Array.from({ length: 50 }, () =>
        Buffer.from(key.seal(randomBytes(cipher.nonceBytes), Buffer.from('the same text'), NOTHING)).toString('hex'),
      );
      expect(new Set(sealed).size).to.equal(sealed.length);
    });
  });
}
