/**
 * Ciphers against published known answers, argon2id hashes and keys as text: the formats that implementations share.
 */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { ascon128a } from '../../../plugins/ciphers/ascon-128a/runtime.js';
import { xchacha20Poly1305 } from '../../../plugins/ciphers/xchacha20-poly1305/runtime.js';
import argon2 from '../../../plugins/hashers/argon2/runtime.js';
import { createArgon2Dummy, hashBytes, parse, verifyBytes } from '../../../plugins/hashers/argon2/argon2.js';
import { computeConcurrency } from '../../../plugins/hashers/shared/hash-limiter.js';
import { findLengthProblem } from '../../../plugins/tokens/paseto/key.light.js';

const createCountedBytes = (length: number, first = 0): Uint8Array => Uint8Array.from({ length }, (_, i) => first + i);
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('cipher output', () => {
  it('of Ascon-128a matches the 1089 known answers of version 1.2', () => {
    const key = ascon128a.key(createCountedBytes(16));
    expect(toHex(key.seal(createCountedBytes(16), createCountedBytes(0), createCountedBytes(0)))).to.equal(
      '7a834e6f09210957067b10fd831f0078',
    );
    expect(toHex(key.seal(createCountedBytes(16), createCountedBytes(0), createCountedBytes(1)))).to.equal(
      'af3031b07b129ec84153373ddcaba528',
    );
    const all = createHash('sha256');
    for (let size = 0; size <= 32; size++) {
      for (let aad = 0; aad <= 32; aad++) {
        const sealed = key.seal(createCountedBytes(16), createCountedBytes(size), createCountedBytes(aad));
        all.update(sealed);
        expect(
          toHex(key.open(createCountedBytes(16), sealed, createCountedBytes(aad)) ?? createCountedBytes(1)),
        ).to.equal(toHex(createCountedBytes(size)));
      }
    }
    expect(all.digest('hex')).to.equal('9d1784238a2fd735f02d652c1f032f51caf5356d5ce48629ac2531e2b27f71e4');
  });

  it('of XChaCha20-Poly1305 matches that of its draft', () => {
    const text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
    const aad = Buffer.from('50515253c0c1c2c3c4c5c6c7', 'hex');
    const sealed = toHex(
      xchacha20Poly1305.key(createCountedBytes(32, 0x80)).seal(createCountedBytes(24, 0x40), Buffer.from(text), aad),
    );
    expect(sealed.slice(0, 32)).to.equal('bd6d179d3e83d43b9576579493c0e939');
    expect(sealed.slice(-32)).to.equal('c0875924c1c7987947deafd8780acf49');
    expect(sealed.length / 2).to.equal(text.length + 16);
  });
});

describe('argon2id hash as text', () => {
  const salt = Buffer.alloc(16, 1);
  const letters = (size: number): string => Buffer.alloc(size, 1).toString('base64').replace(/=+$/, '');
  const text = (costs = 'm=64,t=2,p=1', salts = letters(16), digest = letters(32), head = '$argon2id$v=19'): string =>
    `${head}$${costs}$${salts}$${digest}`;

  it('is parsed with its costs in any order', () => {
    for (const costs of ['m=64,t=2,p=1', 'p=1,m=64,t=2', 't=2,p=1,m=64'])
      expect(parse(text(costs)), costs).to.deep.equal({
        memory: 64,
        time: 2,
        lanes: 1,
        salt,
        digest: Buffer.alloc(32, 1),
      });
    for (const [salts, digest] of [
      [8, 16],
      [8, 64],
      [100, 16],
    ] as const)
      expect(parse(text(undefined, letters(salts), letters(digest)))).not.to.equal(null);
    expect(parse(text('m=16,t=1,p=2'))).not.to.equal(null);
  });

  for (const [title, stored] of [
    ['a salt of seven bytes', text(undefined, letters(7))],
    ['a digest of fifteen bytes', text(undefined, undefined, letters(15))],
    ['a digest of sixty-five bytes', text(undefined, undefined, letters(65))],
    ['less memory than its lanes need', text('m=15,t=1,p=2')],
    ['no passes', text('m=64,t=0,p=1')],
    ['no lanes', text('m=64,t=1,p=0')],
    ['a missing cost', text('m=64,t=2')],
    ['a repeated cost', text('m=64,t=2,p=1,p=1')],
    ['another cost', text('m=64,t=2,q=1')],
    ['a number with a leading zero', text('m=064,t=2,p=1')],
    ['another algorithm', text(undefined, undefined, undefined, '$argon2i$v=19')],
    ['another version', text(undefined, undefined, undefined, '$argon2id$v=16')],
    ['leading text', `x${text()}`],
    ['trailing text', `${text()}$`],
    ['unused bits in its salt', text(undefined, `${letters(16).slice(0, -1)}R`)],
    ['unused bits in its digest', text(undefined, undefined, `${letters(32).slice(0, -1)}F`)],
    ['nothing at all', ''],
  ] as const)
    it(`is invalid with ${title}`, async () => {
      expect(parse(stored)).to.equal(null);
      expect(await verifyBytes(Buffer.from('x'), stored)).to.equal(false);
    });

  it('is created and compared, whatever the length of its digest', async () => {
    const costs = { memory: 64, time: 2, lanes: 1 };
    const made = await hashBytes(Buffer.from('text'), costs, salt);
    expect(made).to.match(/^\$argon2id\$v=19\$m=64,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(await verifyBytes(Buffer.from('text'), made)).to.equal(true);
    expect(await verifyBytes(Buffer.from('test'), made)).to.equal(false);
    expect(await verifyBytes(Buffer.from('text'), text(undefined, undefined, letters(16)))).to.equal(false);
    expect(parse(createArgon2Dummy(costs))).to.deep.include(costs);
  });

  it('is computed up to 16 passes and 16 lanes, and to the costs of the definition', async () => {
    const hasher = argon2.create!({} as never);
    const verify = hasher.createVerifier();
    const fits = async (time: number, lanes: number): Promise<boolean> =>
      verify('text', await hashBytes(Buffer.from('text'), { memory: 160, time, lanes }, salt));
    expect([await fits(16, 1), await fits(1, 16)]).to.deep.equal([true, true]);
    expect([await fits(17, 1), await fits(1, 17)]).to.deep.equal([false, false]);
    hasher.compileHash({ memory_cost: 160, time_cost: 18, parallelism: 18 });
    expect([await fits(18, 1), await fits(1, 18)]).to.deep.equal([true, true]);
    expect([await fits(19, 1), await fits(1, 19)]).to.deep.equal([false, false]);
  });
});

describe('concurrent hashes', () => {
  for (const [pool, wished, expected] of [
    [undefined, undefined, 3],
    ['8', undefined, 4],
    ['3', undefined, 2],
    ['1', undefined, 1],
    ['0', undefined, 3],
    ['x', 'x', 3],
    ['20', '10', 10],
    ['20', '19', 19],
    ['20', '99', 19],
    ['20', '0', 4],
    ['20', '-1', 4],
    ['2', '1', 1],
  ] as const)
    it(`are ${expected} with ${pool ?? 'the default number of'} threads and ${wished ?? 'no'} setting`, () =>
      expect(computeConcurrency(pool, wished)).to.equal(expected));
});

describe('v4.local key in a variable', () => {
  it('can have the length of each encoding', () => {
    for (const length of [32, 68, 50, 51]) expect(findLengthProblem(length), String(length)).to.equal(null);
    for (const length of [0, 31, 33, 49, 52, 64, 67, 69])
      expect(findLengthProblem(length)).to.equal(`it has ${length} characters and needs exactly 32`);
  });
});
