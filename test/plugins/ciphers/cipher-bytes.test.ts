/** Keys, nonces and additional data of `ciphers` as text: number of bytes, and invalid encodings. */
import { expect } from 'chai';
import { findBytesFlaw, findCipherKeyFlaw, findLengthFlaw } from '../../../plugins/features/ciphers/bytes.light.js';
import { decodeBytes } from '../../../plugins/features/ciphers/entry.js';

const hex = (bytes: Buffer): string => `hex:${bytes.toString('hex')}`;
const base64 = (bytes: Buffer, form: 'base64' | 'base64url' = 'base64'): string => `base64:${bytes.toString(form)}`;

describe('bytes in definitions', () => {
  it('are decoded from every encoding of the same length', () => {
    for (let size = 0; size < 40; size++) {
      const bytes = Buffer.from(Array.from({ length: size }, (_, i) => (i * 37 + 251) % 256));
      const padded = base64(bytes);
      const texts = [hex(bytes), hex(bytes).toUpperCase().replace('HEX', 'hex'), padded, padded.replace(/=+$/, '')];
      for (const text of [...texts, base64(bytes, 'base64url')]) {
        expect(findBytesFlaw(text, size), text).to.equal(null);
        expect(findBytesFlaw(text, null), text).to.equal(null);
        expect(findBytesFlaw(text, size + 1), text).to.be.a('string');
        expect(Buffer.from(decodeBytes(text)).equals(bytes), text).to.equal(true);
      }
    }
  });

  it('are the UTF-8 of any other text', () => {
    expect(findBytesFlaw('é€', 5)).to.equal(null);
    expect(findBytesFlaw('é€', 2)).to.equal('it has 5 bytes and needs exactly 2');
    for (const text of ['', 'Hex:00', 'HEX:00', 'xhex:00', 'base64 '])
      expect(findBytesFlaw(text, null), text).to.equal(null);
    expect(Buffer.from(decodeBytes('é')).toString('hex')).to.equal('c3a9');
  });

  it('must have whole bytes and valid digits in hexadecimal', () => {
    for (const text of ['hex:0', 'hex:0g', 'hex: 00', 'hex:00 ', 'hex:0x00', 'hex:000'])
      expect(findBytesFlaw(text, null), text).to.equal('behind `hex:` it needs pairs of hexadecimal digits');
    expect(findBytesFlaw('hex:00', 2)).to.equal('behind `hex:` it needs 4 hexadecimal digits (2 bytes)');
  });

  it('are Base64 with correct padding, one alphabet, and no unused bits', () => {
    for (const text of [
      'A',
      'AAAAA',
      'AA=',
      'AAA==',
      'AAAA=',
      'AAAA==',
      '=',
      '==',
      'A===',
      'AB',
      'AB==',
      'AAB',
      'AAB=',
      'A-A+',
      'A A=',
      'AA==A',
      'AAA.',
    ])
      expect(findBytesFlaw(`base64:${text}`, null), text).to.equal('behind `base64:` it needs Base64');
    for (const text of ['', 'AA', 'AA==', 'AQ', 'Ag', 'Aw', 'AAA', 'AAA=', 'AAE', 'AA8', 'AAAA', 'A-_A', 'A+/A'])
      expect(findBytesFlaw(`base64:${text}`, null), text).to.equal(null);
    expect(findBytesFlaw('base64:AAAA', 2)).to.equal('behind `base64:` it needs 2 bytes in Base64');
  });
});

describe('key of `ciphers`', () => {
  it('can have, in a variable, the length of each encoding', () => {
    const issue = (length: number, bytes = length): string | null => findLengthFlaw({ length, bytes }, 32);
    for (const text of [Buffer.alloc(32, 200)].flatMap((key) => [hex(key), base64(key), base64(key, 'base64url')]))
      expect(issue(text.length), text).to.equal(null);
    for (const length of [32, 68, 50, 51]) expect(issue(length)).to.equal(null);
    for (const length of [0, 31, 33, 49, 52, 64, 67, 69]) expect(issue(length), `${length}`).to.be.a('string');
    expect(issue(20, 32)).to.equal(null);
    expect(issue(31, 62)).to.equal('it has 62 bytes and needs exactly 32');
  });

  it('must not be a published sample, and has exactly its size', () => {
    expect(findCipherKeyFlaw(hex(Buffer.from('8f1c5a7e9b2d4c6f8f1c5a7e9b2d4c60', 'hex')), 16)).to.equal(null);
    expect(findCipherKeyFlaw('hex:8f1c5a7e', 16)).to.be.a('string');
    expect(findCipherKeyFlaw('', 16)).to.be.a('string');
  });
});
