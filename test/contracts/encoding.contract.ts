/** Contract of encodings: one encoding for each sequence of bytes, and null for every other text. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Encoding } from '../../plugins/encodings/kind.js';
import type { Plugins } from './kind-support.js';
import { fc } from '../support/properties.js';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Five bits at a time, from the text of all bits. */
function spellBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  const text = groups.map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
}

/** One division of the whole number for each character. */
function spellBase58(bytes: Uint8Array): string {
  let text = '';
  for (let rest = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`); rest > 0n; rest /= 58n)
    text = `${BASE58[Number(rest % 58n)] ?? ''}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text;
}

/** The same encodings, written as in a definition. */
const OTHERS: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  Base64: (bytes) => btoa(String.fromCharCode(...bytes)),
  Base64Url: (bytes) =>
    btoa(String.fromCharCode(...bytes))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', ''),
  Hex: (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
  Base32: spellBase32,
  Base58: spellBase58,
};

export function encodingContract(plugins: Plugins, name: string): void {
  describe(`encoding ${name}`, () => {
    let encoding: Encoding;
    let pattern: RegExp;
    before(async () => {
      encoding = await plugins.handle<Encoding>('encoding', name);
      pattern = new RegExp(`^(?:${String(plugins.fact('encoding', name, 'pattern'))})$`);
    });

    it('restores any bytes, encoded as its pattern and its definition require', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(5), (bytes, zeros) => {
          const given = Buffer.concat([Buffer.alloc(zeros), bytes]);
          const text = encoding.encode(given);
          expect(text).to.match(pattern);
          expect(OTHERS[name]?.(given) ?? text).to.equal(text);
          expect(Buffer.from(encoding.decode(text) ?? 'nothing').equals(given)).to.equal(true);
        }),
        { numRuns: 500 },
      );
    });

    it('decodes a text or returns null; a decoded text is the one that it would have encoded', () => {
      const letters = fc.constantFrom(...'ABCZabcz0189+/-_=lOI \n.é\0\u{1f44d}');
      fc.assert(
        fc.property(fc.array(letters, { maxLength: 16 }), (list) => {
          const text = list.join('');
          const bytes = encoding.decode(text);
          if (bytes !== null) expect(encoding.encode(bytes)).to.equal(text);
        }),
        { numRuns: 3000 },
      );
    });

    it('rejects any other encoding of the same bytes', () => {
      for (let size = 1; size < 40; size++) {
        const text = encoding.encode(randomBytes(size));
        const others = [`${text}=`, ` ${text}`, `${text}\n`, `${text}\0`, text.replace(/=+$/, ''), `${text}====`];
        for (const other of others) if (other !== text) expect(encoding.decode(other), other).to.equal(null);
        const upper = encoding.decode(text.toUpperCase());
        if (upper !== null) expect(encoding.encode(upper)).to.equal(text.toUpperCase());
      }
    });

    it('declares how long its texts become, and how long they may be', () => {
      const characters = Number(plugins.fact('encoding', name, 'characters'));
      const size = 1000;
      expect(encoding.encode(Buffer.alloc(size, 0xff)).length / size).to.be.within(
        characters - 0.01,
        characters + 0.01,
      );
      expect(plugins.fact('encoding', name, 'maxBytes') ?? null).to.equal(encoding.most);
      const most = encoding.most ?? 1_048_576;
      const longest = randomBytes(most);
      expect(Buffer.from(encoding.decode(encoding.encode(longest)) ?? 'nothing').equals(longest)).to.equal(true);
      if (encoding.most === null) return;
      expect(() => encoding.encode(Buffer.alloc(most + 1, 0xff))).to.throw(RangeError);
      expect(encoding.decode('z'.repeat(100_000))).to.equal(null);
    });
  });
}
