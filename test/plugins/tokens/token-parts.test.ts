/** The parts of a token format, each without the others: header and form of a JWT, the JSON inside a token, the mark of a revoked one. */
import { expect } from 'chai';
import { TokenRefused, type VerifiedToken } from '../../../plugins/tokens/kind.js';
import { createRevocationCheck, createRevocationFlag } from '../../../plugins/features/shared/revocation.js';
import { createJwtKeys, type JwtKeys } from '../../../plugins/tokens/jwt/keys.js';
import { openJwt, sealJwt } from '../../../plugins/tokens/jwt/runtime.js';
import { openLocal, sealLocal } from '../../../plugins/tokens/paseto/local.js';
import { assertCurrent } from '../../../plugins/tokens/shared/claims.js';
import { decodeText, readObject } from '../../../plugins/tokens/shared/strict-json.js';
import type { Cache } from '../../../plugins/caches/kind.js';
import { encode, forgeToken, HS256, KEY, sign } from '../../support/tokens.js';

const keys = createJwtKeys('HS256', { algorithm: 'HS256', key: KEY, issues: true, place: 'test' });

/** Keys that count how often one is read. */
function countedKeys(): { readonly keys: JwtKeys; readonly reads: () => number } {
  let reads = 0;
  const verify: JwtKeys['verify'] = () => {
    reads++;
    return keys.verify();
  };
  return { keys: { ...keys, verify }, reads: () => reads };
}

async function catchReason(work: () => unknown): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof TokenRefused) return error.reason;
    throw error;
  }
}

describe('header of a JWT', () => {
  for (const alg of ['HS384', 'HS512', 'RS256', 'none', 'hs256', '', null, 256, ['HS256'], undefined]) {
    it(`is rejected before a key is read when alg is ${JSON.stringify(alg) ?? 'absent'}`, async () => {
      const counted = countedKeys();
      const token = forgeToken({ typ: 'JWT', ...(alg !== undefined && { alg }) }, {});
      expect(await catchReason(() => openJwt(token, 'HS256', counted.keys))).to.equal('another algorithm');
      expect(counted.reads()).to.equal(0);
    });
  }

  it('is accepted with the algorithm of the definition, with type JWT in any case, and without a type', async () => {
    for (const header of [HS256, { alg: 'HS256', typ: 'jwt' }, { alg: 'HS256' }, { alg: 'HS256', kid: 'other' }])
      expect(await openJwt(forgeToken(header, { id: 7 }), 'HS256', keys), JSON.stringify(header)).to.equal('{"id":7}');
  });

  it('is rejected with another type, or a type that is not text', async () => {
    for (const typ of ['at+jwt', 'JWS', '', 7, null])
      expect(
        await catchReason(() => openJwt(forgeToken({ alg: 'HS256', typ }, {}), 'HS256', keys)),
        String(typ),
      ).to.equal('another type');
  });

  it('is rejected with a parameter that changes the meaning of the token', async () => {
    for (const name of ['crit', 'b64', 'zip', 'cty', 'enc']) {
      const counted = countedKeys();
      const token = forgeToken({ ...HS256, [name]: null }, {});
      expect(await catchReason(() => openJwt(token, 'HS256', counted.keys))).to.equal(`the header has ${name}`);
      expect(counted.reads()).to.equal(0);
    }
  });
});

describe('format of a JWT', () => {
  it('has the algorithm and the type, and is accepted again', async () => {
    const token = await sealJwt('{"id":7}', 'HS256', keys.sign!);
    const header: unknown = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    expect(header).to.deep.equal({ alg: 'HS256', typ: 'JWT' });
    expect(await openJwt(token, 'HS256', keys)).to.equal('{"id":7}');
  });

  it('has exactly three parts', async () => {
    const [header = '', payload = '', signature = ''] = forgeToken(HS256, {}).split('.');
    for (const token of [`${header}.${payload}`, `${header}.${payload}.${signature}.${signature}`, header])
      expect(await catchReason(() => openJwt(token, 'HS256', keys)), token).to.equal('not three parts');
  });

  it('has at most 8192 characters', async () => {
    const { length } = forgeToken(HS256, 'x');
    // Three bytes are four characters.
    let payload = 'x'.repeat(Math.floor(((8192 - length) * 3) / 4));
    while (forgeToken(HS256, `${payload}x`).length <= 8192) payload += 'x';
    const longest = forgeToken(HS256, payload);
    expect(longest).to.have.length(8192);
    expect(await openJwt(longest, 'HS256', keys)).to.equal(payload);
    expect(await catchReason(() => openJwt(forgeToken(HS256, `${payload}x`), 'HS256', keys))).to.equal('too long');
  });

  it('is rejected when the signature is of another payload', async () => {
    const header = encode(HS256);
    const token = `${header}.${encode({ id: 8 })}.${sign(`${header}.${encode({ id: 7 })}`)}`;
    expect(await catchReason(() => openJwt(token, 'HS256', keys))).to.equal('the signature does not fit');
  });
});

describe('PASETO', () => {
  const key = new Uint8Array(32).fill(7);

  it('is rejected if it is shorter than its nonce and its tag', async () => {
    const token = await sealLocal('{"a":1}', key);
    expect((await openLocal(token, key)).text).to.match(/^\{"a":1,/);
    for (const bytes of [0, 1, 32, 63])
      expect(await catchReason(() => openLocal(`v4.local.${Buffer.alloc(bytes).toString('base64url')}`, key))).to.be.a(
        'string',
      );
  });

  it('is not created from claims that it cannot contain; another failure keeps its name', async () => {
    const fail = (payload: string): Promise<unknown> => sealLocal(payload, key).catch((error: unknown) => error);
    expect(await fail('{"exp":5}')).to.have.property('code', 'TOK_UNFIT');
    expect(await fail('{')).to.be.instanceOf(SyntaxError);
  });
});

describe('JSON of a token', () => {
  const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const lists = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

  for (const [what, nested] of [
    ['objects', objects],
    ['lists', lists],
  ] as const)
    it(`has at most 32 levels of ${what}`, async () => {
      expect(readObject(nested(32))).to.deep.equal(JSON.parse(nested(32)));
      expect(await catchReason(() => readObject(nested(33)))).to.equal('nested too deep');
    });

  it('may have more than 32 objects and lists next to each other', () => {
    const text = JSON.stringify({ many: Array.from({ length: 50 }, () => [{}, []]) });
    expect(readObject(text)).to.deep.equal(JSON.parse(text));
  });

  it('is measured without brackets inside texts', () => {
    for (const value of ['['.repeat(40), '{'.repeat(40), '"['.repeat(40), `\\${'"{'.repeat(40)}`])
      expect(readObject(JSON.stringify({ value }))).to.deep.equal({ value });
  });

  it('has no name twice in one object, in any notation', async () => {
    for (const text of [
      '{"a":1,"a":2}',
      '{"a":1,"\\u0061":2}',
      '{"a":1,"b":{"c":1},"a" \t\r\n:2}',
      '{"x":[{"a":1,"b":[],"a":2}]}',
      '{"a\\"":1,"a\\"":2}',
    ])
      expect(await catchReason(() => readObject(text)), text).to.equal('a name twice');
    for (const text of ['{"a":{"a":{"a":1}}}', '{"x":[{"a":1},{"a":2}],"y":"x"}', '{"a":"a","b":["a","a"]}'])
      expect(readObject(text), text).to.deep.equal(JSON.parse(text));
  });

  it('has no reserved name at any depth, in any notation', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype', '\\u005f_proto__'])
      for (const text of [`{"${name}":1}`, `{"a":[{"b":{"${name}" : 1}}]}`])
        expect(await catchReason(() => readObject(text)), text).to.equal('a reserved name');
    expect(readObject('{"a":"__proto__"}')).to.deep.equal({ a: '__proto__' });
  });

  it('is an object', async () => {
    for (const text of ['[]', 'null', '1', '"{}"'])
      expect(await catchReason(() => readObject(text)), text).to.equal('not a JSON object');
    for (const text of ['', '{', '{"a":1,}', '\ufeff{}', "{'a':1}"])
      expect(await catchReason(() => readObject(text)), text).to.equal('not JSON');
  });

  it('is UTF-8, and keeps a byte order mark in the text', async () => {
    expect(decodeText(Buffer.from('é€'))).to.equal('é€');
    expect(decodeText(Buffer.from('\ufeffa'))).to.equal('\ufeffa');
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]])
      expect(await catchReason(() => decodeText(Uint8Array.from(bytes)))).to.equal('not UTF-8');
  });
});

describe('revocation entry of a token', () => {
  const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 250);
  const verified = (seconds: number, claims: object = { jti: 'one' }): VerifiedToken => ({
    claims: { ...claims },
    expiresAt: Math.floor(NOW / 1000) + seconds,
    validFrom: 0,
  });
  const isAccepted = (token: VerifiedToken, at: number): boolean => {
    try {
      assertCurrent(token, at);
      return true;
    } catch {
      return false;
    }
  };

  it('is stored for as long as the token is accepted, however short expires_after is', () => {
    for (const [lifetime, least] of [
      [3600, 0],
      [3600, 60],
      [1, 1],
      [0, 0],
      [-29, 0],
    ] as const) {
      const token = verified(lifetime);
      const { seconds } = createRevocationFlag(token, NOW, least);
      expect(isAccepted(token, NOW), `${lifetime} s`).to.equal(true);
      expect(isAccepted(token, NOW + seconds * 1000), `${lifetime} s, after ${seconds} s`).to.equal(false);
      expect(seconds).to.equal(lifetime + 30);
    }
  });

  it('is stored for expires_after if that is longer, and for a second at least', () => {
    expect(createRevocationFlag(verified(3600), NOW, 7200).seconds).to.equal(7200);
    expect(createRevocationFlag(verified(3600), NOW, 3631).seconds).to.equal(3631);
    expect(createRevocationFlag(verified(-30), NOW, 0).seconds).to.equal(1);
    expect(createRevocationFlag(verified(-1000), NOW, 0).seconds).to.equal(1);
  });

  it('belongs to the id among the tokens of one issuer, and to the claims of a token without an id', () => {
    const key = (claims: object, seconds = 60): string => createRevocationFlag(verified(seconds, claims), NOW, 0).key;
    expect(key({ jti: 'one', id: 1 }, 60)).to.equal(key({ jti: 'one', id: 2 }, 90));
    expect(key({ jti: 7 })).to.equal(key({ jti: 7, id: 2 }));
    const different = [
      { jti: 'one' },
      { jti: 'two' },
      { jti: 'one', iss: 'a' },
      { jti: 'one', iss: 'b' },
      { jti: 1 },
      { jti: '1' },
      { id: 1 },
      { id: 2 },
      { jti: null, id: 1 },
      { jti: ['one'] },
    ];
    expect(new Set(different.map((claims) => key(claims))).size).to.equal(different.length);
    expect(key({ jti: 'one' })).to.match(/^revoked:[A-Za-z0-9_-]{43}$/);
  });

  it('is looked up by the key under which it was stored', async () => {
    const token = verified(60);
    const asked: string[] = [];
    const store = { hasFlag: (key: string) => Promise.resolve(asked.push(key) === 1) } as unknown as Cache;
    const isRevoked = createRevocationCheck(store);
    expect(await isRevoked(token)).to.equal(true);
    expect(await isRevoked(verified(60, { jti: 'two' }))).to.equal(false);
    expect(asked[0]).to.equal(createRevocationFlag(token, NOW, 0).key);
    expect(asked[1]).not.to.equal(asked[0]);
  });
});
