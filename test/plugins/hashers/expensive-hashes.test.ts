/** Stored hashes that are more expensive than any definition requires: they are not verified at such a cost. */
import { expect } from 'chai';
import { createBcryptDummy as dummyBcrypt } from '../../../plugins/hashers/bcrypt/runtime.js';
import { createArgon2Dummy, hashBytes, parse } from '../../../plugins/hashers/argon2/argon2.js';
import argon2 from '../../../plugins/hashers/argon2/runtime.js';
import bcrypt from '../../../plugins/hashers/bcrypt/runtime.js';

const hasher = (runtime: typeof argon2) => {
  const made = runtime.create?.(undefined as never);
  if (made === undefined) throw new Error('a hasher has a handle');
  return made;
};

describe('text of an argon2 hash', () => {
  const hash = (salt: number, digest: number): string =>
    `$argon2id$v=19$m=65536,t=3,p=4$${[salt, digest].map((size) => Buffer.alloc(size).toString('base64').replaceAll('=', '')).join('$')}`;

  it('is a hash with a salt of 8 bytes or more and a digest of 16 to 64', () => {
    for (const [salt, digest] of [
      [8, 16],
      [16, 32],
      [8, 64],
    ] as const)
      expect(parse(hash(salt, digest)), `${salt}, ${digest}`).to.include({ memory: 65_536, time: 3, lanes: 4 });
    for (const [salt, digest] of [
      [7, 32],
      [8, 15],
      [8, 65],
    ] as const)
      expect(parse(hash(salt, digest)), `${salt}, ${digest}`).to.equal(null);
  });

  it('has each of the three costs once, in any order, and nothing else', () => {
    const rest = hash(16, 32).split('$').slice(4).join('$');
    const costs = (written: string) => parse(`$argon2id$v=19$${written}$${rest}`);
    for (const written of ['m=64,t=3,p=4', 'p=4,m=64,t=3', 't=3,p=4,m=64'])
      expect(costs(written), written).to.include({ memory: 64, time: 3, lanes: 4 });
    expect([costs('m=32,t=1,p=4') === null, costs('m=31,t=1,p=4')]).to.deep.equal([false, null]);
    for (const written of [
      'm=64,t=3',
      'm=64,t=3,p=4,p=4',
      'm=64,t=0,p=4',
      'm=64,t=03,p=4',
      'm=64,t=3,t=4',
      'm=64,t=3,p=0',
      'm=64 t=3,p=4',
    ])
      expect(costs(written), written).to.equal(null);
    const valid = hash(16, 32);
    const others = [
      ` ${valid}`,
      `${valid}\n`,
      valid.replace('argon2id', 'argon2i'),
      valid.replace('v=19', 'v=16'),
      `${valid}=`,
      `${valid.slice(0, -1)}B`,
    ];
    for (const other of others) expect(parse(other), other).to.equal(null);
  });
});

describe('expensive hashes', function () {
  it('argon2: accepts the maximum number of passes and lanes, and rejects one more', async () => {
    const isHash = async (time: number, lanes: number): Promise<boolean> => {
      const stored = await hashBytes(Buffer.from('secret'), { memory: 8 * lanes, time, lanes }, Buffer.alloc(16));
      return hasher(argon2).createVerifier()('secret', stored);
    };
    expect([await isHash(16, 1), await isHash(17, 1), await isHash(1, 16), await isHash(1, 17)]).to.deep.equal([
      ...[true, false, true, false],
    ]);
  });

  it('argon2: rejects many passes over much memory, although each alone is valid, unless a definition requests them', async () => {
    const asking = hasher(argon2);
    const expensive = await asking.compileHash({ memory_cost: 65_600, time_cost: 16 })('secret', '');
    const usual = await hashBytes(Buffer.from('secret'), { memory: 8192, time: 9, lanes: 1 }, Buffer.alloc(16));
    const verify = hasher(argon2).createVerifier();
    expect([await verify('secret', expensive), await verify('secret', usual)]).to.deep.equal([false, true]);
    expect(await asking.createVerifier()('secret', expensive)).to.equal(true);
  }).timeout(20_000);

  it('do not make every failure as expensive as one expensive row', async () => {
    const verify = hasher(argon2).createVerifier();
    for (const stored of [createArgon2Dummy({ memory: 262_144, time: 16, lanes: 16 }), undefined]) {
      expect(await verify('secret', stored)).to.equal(false);
    }
    const slow = hasher(bcrypt).createVerifier();
    for (const stored of [dummyBcrypt(19), undefined]) expect(await slow('secret', stored)).to.equal(false);
  });
});
