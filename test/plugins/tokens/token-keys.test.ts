/** Keys of tokens at load: which text is a key of which algorithm, and the claims of time at their bounds. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import { BootError } from '../../../contract/boot-error.js';
import { createJwtKeys } from '../../../plugins/tokens/jwt/keys.js';
import { findLocalKeyFlaw } from '../../../plugins/tokens/paseto/key.light.js';
import { assertCurrent, validateClaims, type InstantFormat } from '../../../plugins/tokens/shared/claims.js';
import { KEY } from '../../support/tokens.js';

const pem = (key: KeyObject): string =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }).toString();
const pairs = {
  p256: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
  p384: generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
  ed: generateKeyPairSync('ed25519'),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  small: generateKeyPairSync('rsa', { modulusLength: 1024 }),
};

/** The length of a key, whether it signs, or what is wrong with it. */
function checkKey(algorithm: string, key: string | Uint8Array, issues = false): unknown {
  try {
    const { short, sign } = createJwtKeys(algorithm, { algorithm, key, issues, place: 'a' });
    return short ?? sign !== null;
  } catch (error) {
    if (!(error instanceof BootError)) throw error;
    expect([error.code, error.params['place']]).to.deep.equal(['TOK_KEY', 'a']);
    return String(error.params['what']);
  }
}

describe('JWT keys', () => {
  it('are secrets with at least the bytes of the hash, or reported as shorter', () => {
    const secret = KEY + KEY;
    for (const [algorithm, min] of [
      ['HS256', 32],
      ['HS384', 48],
      ['HS512', 64],
    ] as const) {
      expect(checkKey(algorithm, secret.slice(0, min)), algorithm).to.equal(true);
      expect(checkKey(algorithm, secret.slice(0, min - 1)), algorithm).to.deep.equal({ bytes: min - 1, min });
      expect(checkKey(algorithm, Buffer.from(secret.slice(0, min))), algorithm).to.equal(true);
    }
    expect(checkKey('HS256', `${KEY.slice(0, 30)}ä`)).to.equal(true);
  });

  it('are not blank, a sample or a PEM key if they are secrets', () => {
    for (const key of ['', '  ', new Uint8Array()]) expect(checkKey('HS256', key)).to.match(/^it is empty/);
    expect(checkKey('HS256', 'changeme')).to.match(/^it is a known sample/);
    for (const key of [pem(pairs.rsa.publicKey), pem(pairs.ed.privateKey)])
      expect(checkKey('HS384', key)).to.match(/^it is a PEM key, which HS384 would take for a password/);
  });

  const right: Readonly<Record<string, keyof typeof pairs>> = {
    ...{ RS256: 'rsa', RS384: 'rsa', RS512: 'rsa', ES256: 'p256', ES384: 'p384', EdDSA: 'ed' },
  };
  const words = {
    rsa: 'an RSA key of at least 2048 bits',
    p256: 'a key on the curve P-256',
    p384: 'a key on the curve P-384',
    ed: 'an Ed25519 key',
    small: '',
  };
  for (const [algorithm, sort] of Object.entries(right))
    it(`of ${algorithm} are of one type, private ones to sign`, () => {
      for (const [name, { publicKey, privateKey }] of Object.entries(pairs)) {
        const isRight = name === sort;
        const needs = `${algorithm} needs ${words[sort]}`;
        expect(checkKey(algorithm, pem(privateKey), true), name).to.equal(isRight || needs);
        expect(checkKey(algorithm, pem(publicKey)), name).to.equal(isRight ? false : needs);
      }
      const open = pem(pairs[sort].publicKey);
      expect(checkKey(algorithm, open, true)).to.match(/^it is a public key/);
      // Environment files cannot always hold line breaks.
      expect(checkKey(algorithm, ` ${open.replaceAll('\n', '\\n')} `)).to.equal(false);
      expect(checkKey(algorithm, KEY)).to.match(/needs a key in PEM form/);
      expect(checkKey(algorithm, open.replace(/\n.{20}/, '\n'))).to.equal('the PEM text cannot be read');
    });

  it('have one id for one key and algorithm, and another for any other', () => {
    const id = (algorithm: string, key: string) =>
      createJwtKeys(algorithm, { algorithm, key, issues: false, place: 'a' }).id;
    const [open, secret] = [pem(pairs.rsa.publicKey), pem(pairs.rsa.privateKey)];
    const ids = [
      id('HS256', KEY),
      id('HS512', KEY),
      id('HS256', `${KEY}x`),
      id('RS256', open),
      id('RS256', secret),
      id('RS512', open),
    ];
    expect([new Set(ids).size, id('HS256', KEY)]).to.deep.equal([ids.length, ids[0]]);
    expect(ids.join()).not.to.include(KEY);
  });
});

describe('PASETO keys', () => {
  const base64 = Buffer.from(KEY).toString('base64');
  it('are 32 bytes: plain, in hexadecimal or in base64', () => {
    const hex = Buffer.from(KEY).toString('hex');
    for (const key of [
      KEY,
      `hex:${hex}`,
      `hex:${hex.toUpperCase()}`,
      `base64:${base64}`,
      `base64:${base64.slice(0, -1)}`,
      `base64:${'_-'.repeat(21)}A`,
      `base64:${'/+'.repeat(21)}8=`,
    ])
      expect(findLocalKeyFlaw(key), key).to.equal(null);
    for (const key of ['hex:', `hex:${hex}0`, `hex:${hex.slice(1)}`, `hex:${hex.slice(1)}g`])
      expect(findLocalKeyFlaw(key), key).to.match(/^behind `hex:`/);
    const wrong = [
      base64.slice(0, -2),
      `${base64}=`,
      `${'a'.repeat(42)}B`,
      `${'_'.repeat(42)}A=`,
      `+-${'a'.repeat(40)}A`,
      '',
    ];
    for (const key of wrong) expect(findLocalKeyFlaw(`base64:${key}`), key).to.match(/^behind `base64:`/);
    expect([findLocalKeyFlaw(KEY.slice(1)), findLocalKeyFlaw(`${KEY}x`)]).to.deep.equal(
      [31, 33].map((n) => `it has ${n} characters and needs exactly 32`),
    );
    expect(findLocalKeyFlaw(`ä${KEY.slice(1)}`)).to.match(/^its 32 characters are 33 bytes/);
    expect(findLocalKeyFlaw('')).to.match(/^it is empty/);
  });
});

describe('validity period of a token', () => {
  const instants: InstantFormat = {
    read: (value) => (typeof value === 'number' ? value : null),
    write: (seconds) => seconds,
  };
  const checkClaims = (claims: object, now: number): string => {
    try {
      const verified = validateClaims(JSON.stringify(claims), instants, now * 1000);
      assertCurrent(verified, now * 1000 + 999);
      return `${verified.validFrom} to ${verified.expiresAt}`;
    } catch (error) {
      return (error as { reason: string }).reason;
    }
  };

  it('extends 30 seconds beyond its end and before its beginning', () => {
    expect([checkClaims({ exp: 100 }, 129), checkClaims({ exp: 100 }, 130)]).to.deep.equal(['0 to 100', 'expired']);
    for (const name of ['nbf', 'iat'])
      expect(
        [checkClaims({ exp: 900, [name]: 100 }, 70), checkClaims({ exp: 900, [name]: 100 }, 69)],
        name,
      ).to.deep.equal(['100 to 900', 'not valid yet']);
    expect(checkClaims({ exp: 900, nbf: 100, iat: 200 }, 300)).to.equal('200 to 900');
    expect(checkClaims({ exp: 900, nbf: 200, iat: 100 }, 300)).to.equal('200 to 900');
  });

  it('is required, and an instant', () => {
    expect(checkClaims({}, 0)).to.equal('exp is missing');
    for (const name of ['exp', 'nbf', 'iat'])
      expect(checkClaims({ exp: 900, [name]: 'x' }, 0)).to.equal(`${name} is no instant`);
    expect(checkClaims({ exp: null }, 0)).to.equal('exp is no instant');
  });
});
