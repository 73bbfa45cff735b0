/** Contract of hash algorithms: hash differently each time, verify from the hash alone, and never throw. */
import { expect } from 'chai';
import type { JsonObject } from '../../contract/json.js';
import type { Hash, Hasher, Verify } from '../../plugins/hashers/kind.js';
import type { Plugins } from './kind-support.js';
import { fc } from '../support/properties.js';

/** The minimum cost of an algorithm. */
const CHEAP: Readonly<Record<string, JsonObject>> = {
  BCRYPT: { rounds_cost: 4 },
  ARGON2: { memory_cost: 128, time_cost: 1 },
};

/** Pairs of texts that are alike to a careless eye, and different passwords. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['secret', 'Secret'],
  ['secret', 'secret '],
  ['secret', 'secret\n'],
  ['secret', ''],
  ['a\0b', 'a'],
  ['a\0b', 'a\0c'],
  ['\0', 'a'],
  ['\u00e9', 'e\u0301'],
  ['ﬁ', 'fi'],
  ['K', '\u212a'],
  ['👍', '👎'],
];

export function hasherContract(plugins: Plugins, name: string): void {
  describe(`hasher ${name}`, () => {
    let hasher: Hasher;
    let hash: Hash;
    let verify: Verify;
    before(async () => {
      hasher = await plugins.handle<Hasher>('hasher', name);
      hash = hasher.compileHash(CHEAP[name] ?? {});
      verify = hasher.createVerifier();
    });

    it('hashes equal texts differently, with a salt of the definition and without', async () => {
      for (const salt of ['', 'pepper']) {
        const hashes = await Promise.all(Array.from({ length: 8 }, () => hash('secret', salt)));
        expect(new Set(hashes).size).to.equal(hashes.length);
      }
    });

    it('needs only the hash to verify', async () => {
      for (const salt of ['', 'pepper', 'a\0b', 'x'.repeat(1000)]) {
        const made = await hash('secret', salt);
        expect(await hasher.createVerifier()('secret', made)).to.equal(true);
        expect(await hasher.createVerifier()('secrets', made)).to.equal(false);
        expect(made).not.to.contain('secret');
      }
    });

    for (const [text, other] of PAIRS) {
      it(`distinguishes ${JSON.stringify(text)} and ${JSON.stringify(other)}`, async () => {
        const made = await hash(text, '');
        expect(await verify(text, made)).to.equal(true);
        expect(await verify(other, made)).to.equal(false);
      });
    }

    it('accepts texts up to the length of its facts, and reports why it accepts no longer one', async () => {
      const max = plugins.fact('hasher', name, 'maxBytes');
      const longest = 'é'.repeat(typeof max === 'number' ? Math.floor(max / 2) : 5000);
      expect(hasher.checkText(longest)).to.equal(null);
      const made = await hash(longest, '');
      expect(await verify(longest, made)).to.equal(true);
      expect(await verify(longest.slice(0, -1), made)).to.equal(false);
      expect(await verify(`${longest}x`, made)).to.equal(false);
      expect(await verify(`${longest.slice(0, -1)}e`, made)).to.equal(false);
      if (typeof max !== 'number') return;
      const rejection = hasher.checkText(`${longest}x`);
      expect(rejection?.code).to.match(/^[a-z_]+$/);
      expect(rejection?.detail).to.match(/^must .*\d+ bytes/);
    });

    it('returns false for a value that is not text or not a hash, and never fails', async () => {
      const made = await hash('secret', '');
      const values = [
        undefined,
        null,
        0,
        true,
        NaN,
        {},
        [],
        [made],
        { length: 60 },
        Symbol.iterator,
        Buffer.from(made),
      ];
      for (const [at, value] of values.entries()) {
        expect(await verify('secret', value), `value ${at}`).to.equal(false);
        expect(await verify(value, made), `value ${at}`).to.equal(false);
        expect(await verify(value, value), `value ${at}`).to.equal(false);
      }
      const broken = [
        '',
        'secret',
        ` ${made}`,
        `${made} `,
        `${made}\n`,
        `${made}x`,
        made.slice(0, -1),
        made.slice(1),
        made.toUpperCase(),
        made.replaceAll('$', ''),
        `${made}${made}`,
      ];
      for (const stored of broken) expect(await verify('secret', stored), stored).to.equal(false);
    });

    it('returns false for any text that is not the hash', async () => {
      const made = await hash('secret', '');
      const cut = fc.tuple(fc.nat(made.length - 1), fc.string({ minLength: 1, maxLength: 3 }));
      await fc.assert(
        fc.asyncProperty(cut, async ([at, put]) => {
          const stored = made.slice(0, at) + put + made.slice(at + 1);
          // A changed number is another cost, which may take minutes to work through; a digit proves nothing more.
          fc.pre(!/^[0-9]+$/.test(put) && !/[0-9]/.test(made[at] ?? ''));
          // `$2a$`, `$2b$` and `$2y$` name one algorithm.
          fc.pre(stored.replace(/^\$2[aby]\$/, '$2b$$') !== made);
          expect(await verify('secret', stored), stored).to.equal(false);
        }),
        { numRuns: 60 },
      );
    });
  });
}
