/** What every encoding must do: one spelling for each sequence of bytes, and null for every other text. */
import { randomBytes } from 'node:crypto';
import { base32, base58, base64, base64urlnopad, hex } from '@scure/base';
import { expect } from 'chai';
import type { Encoding } from '../../plugins/encodings/kind.js';
import type { Plugins } from './kind-support.js';
import { fc } from '../support/properties.js';

/** The same encodings as somebody else wrote them. */
const OTHERS: Readonly<Record<string, { readonly encode: (bytes: Uint8Array) => string }>> = {
  Base64: base64,
  Base64Url: base64urlnopad,
  Hex: hex,
  Base32: base32,
  Base58: base58,
};

export function encodingContract(plugins: Plugins, name: string): void {
  describe(`encoding ${name}`, () => {
    let encoding: Encoding;
    let pattern: RegExp;
    before(async () => {
      encoding = await plugins.handle<Encoding>('encoding', name);
      pattern = new RegExp(`^(?:${String(plugins.fact('encoding', name, 'pattern'))})$`);
    });

    it('gives any bytes back, spelt as its pattern says and as others spell them', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(5), (bytes, zeros) => {
          const given = Buffer.concat([Buffer.alloc(zeros), bytes]);
          const text = encoding.encode(given);
          expect(text).to.match(pattern);
          expect(OTHERS[name]?.encode(given) ?? text).to.equal(text);
          expect(Buffer.from(encoding.decode(text) ?? 'nothing').equals(given)).to.equal(true);
        }),
        { numRuns: 500 },
      );
    });

    it('takes a text, or gives null; a text that it takes is the one that it would have written', () => {
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

    it('takes no other spelling of the same bytes', () => {
      for (let size = 1; size < 40; size++) {
        const text = encoding.encode(randomBytes(size));
        const others = [`${text}=`, ` ${text}`, `${text}\n`, `${text}\0`, text.replace(/=+$/, ''), `${text}====`];
        for (const other of others) if (other !== text) expect(encoding.decode(other), other).to.equal(null);
        const upper = encoding.decode(text.toUpperCase());
        if (upper !== null) expect(encoding.encode(upper)).to.equal(text.toUpperCase());
      }
    });

    it('says how long its texts become, and how long they may be', () => {
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
