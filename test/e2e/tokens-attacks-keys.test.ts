/**
 * The known attacks on keys, formats and headers, over real HTTP. Each has a valid token created in the same way, so
 * that a guard which rejected everything would fail here too. All rejections must be the same response.
 */
import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { encrypt, generateKeys, sign as signPublic } from 'paseto-ts/v4';
import { InvalidDefinitionsError } from '../../language/project/invalid-definitions.js';
import { BootError } from '../../contract/boot-error.js';
import { formatRequestHead, parseRaw } from '../support/client.js';
import { startKernel } from '../support/kernel.js';
import { ENV, defineTokenResource, HS, startTarget, type Target } from '../support/token-target.js';
import { RSA_PUBLIC_PEM } from '../support/rsa.js';
import {
  createBearerInit,
  createTokenClaims,
  encode,
  HS256,
  signJwt,
  KEY,
  OTHER_KEY,
  getSeconds,
  sign,
} from '../support/tokens.js';

describe('attacks on tokens: keys, formats, headers', () => {
  let target: Target;
  before(async () => (target = await startTarget()));
  after(() => target.kernel.close());
  const isTaken: Target['isTaken'] = (...of) => target.isTaken(...of);
  const allRejected: Target['allRejected'] = (...of) => target.allRejected(...of);
  const isRejected: Target['isRejected'] = (...of) => target.isRejected(...of);
  const checkRejection: Target['checkRejection'] = (...of) => target.checkRejection(...of);

  it('3: prevent the start with a PEM key as a shared secret', async () => {
    const files = { 'definitions/a.json': defineTokenResource('a', { ...HS, encryption_key: '$ENV.PUBLIC_PEM' }) };
    await expectRejectedStart(files, ENV, /PEM/);
  });

  it('10: reject a token of another resource, with another key', async () => {
    const own = await signJwt({ id: 'ada' });
    const other = await signJwt({ id: 'ada' }, OTHER_KEY);
    await isTaken(createBearerInit(own));
    await isTaken(createBearerInit(other), '/other');
    await allRejected({ other });
    await allRejected({ own }, '/other');
    // Also when it was seen, and is remembered, elsewhere.
    await allRejected({ own }, '/longer');
  });

  it('11: reject a token of another format, version or purpose', async () => {
    const local = encrypt(`k4.local.${Buffer.from(KEY).toString('base64url')}`, { id: 'ada' });
    await isTaken(createBearerInit(local), '/sealed');
    const jwtToken = await signJwt({ id: 'ada' });
    await isTaken(createBearerInit(jwtToken));
    const { secretKey } = generateKeys('public');
    const signed = signPublic(secretKey, { id: 'ada' });
    await allRejected({ local });
    await allRejected(
      {
        jwt: jwtToken,
        'v4.public': signed,
        'public declared as local': signed.replace('v4.public.', 'v4.local.'),
        v3: local.replace('v4.', 'v3.'),
        v2: local.replace('v4.', 'v2.'),
        'upper case': local.replace('v4.local', 'V4.LOCAL'),
        'an empty footer': `${local}.`,
        'a footer that was not sealed': `${local}.${encode('{"kid":"1"}')}`,
        'two footers': `${local}.${encode('a')}.${encode('b')}`,
        'no body': 'v4.local.',
        'too short': `v4.local.${encode('x'.repeat(63))}`,
        numbers: encrypt(
          `k4.local.${Buffer.from(KEY).toString('base64url')}`,
          `{"id":"ada","exp":${getSeconds(600)}}`,
          {
            validatePayload: false,
            addIat: false,
            addExp: false,
          },
        ),
        'no exp': encrypt(`k4.local.${Buffer.from(KEY).toString('base64url')}`, { id: 'ada' }, { addExp: false }),
      },
      '/sealed',
    );
    const footer = encrypt(`k4.local.${Buffer.from(KEY).toString('base64url')}`, { id: 'ada' }, { footer: 'a footer' });
    await isTaken(createBearerInit(footer), '/sealed');
  });

  it('12: accept only the header, once, and in one form', async () => {
    const token = await signJwt({ id: 'ada' });
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
      await isTaken({ headers: { authorization: `${scheme} ${token}` } });
    }
    for (const value of [
      token,
      `Bearer  ${token}`,
      `Bearer\t${token}`,
      `Bearer:${token}`,
      `Bearer${token}`,
      `Bearer ${token} x`,
      `Bearer ${token},`,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer "${token}"`,
      `Token ${token}`,
      `Basic ${token}`,
      'Bearer',
      'Bearer ',
      '',
    ]) {
      await isRejected({ headers: { authorization: value } }, value.replace(token, '<token>'));
    }
    await isRejected({ headers: { cookie: `authorization=Bearer ${token}; token=${token}` } }, 'a cookie');
    await isRejected({ headers: { 'x-access-token': token } }, 'another header');
    await isRejected({ headers: { 'proxy-authorization': `Bearer ${token}` } }, 'a header of that sort');
    for (const name of ['token', 'access_token', 'authorization']) {
      const { status, text } = await target.kernel.post(`/jwt?${name}=${token}`, { [name]: token });
      checkRejection(status, text, `${name} in query and body`);
    }
    const twice = `${formatRequestHead('POST', '/jwt', { connection: 'close', authorization: `Bearer ${token}` }).slice(0, -2)}Authorization: Bearer ${token}\r\n\r\n`;
    const { status, body } = parseRaw(await target.kernel.raw(twice));
    checkRejection(status, body, 'the header twice');
  });

  it('13: reject a separate header that is repeated or has commas', async () => {
    const token = await signJwt({ id: 'ada' });
    for (const value of [token, `Bearer ${token}`, `bearer ${token}`]) {
      await isTaken({ headers: { 'x-access-token': value } }, '/custom');
    }
    for (const value of [
      `${token}, ${token}`,
      `${token},`,
      `,${token}`,
      `Bearer  ${token}`,
      `Token ${token}`,
      `${token} x`,
      '',
    ]) {
      await isRejected({ headers: { 'x-access-token': value } }, value.replaceAll(token, '<token>'), '/custom');
    }
    await isRejected(createBearerInit(token), 'the usual header', '/custom');
    const lines = `x-access-token: ${token}\r\nX-Access-Token: ${token}\r\n\r\n`;
    const { status, body } = parseRaw(
      await target.kernel.raw(formatRequestHead('POST', '/custom', { connection: 'close' }).slice(0, -2) + lines),
    );
    checkRejection(status, body, 'the header twice');
  });

  it('14: reject signatures of every other length', async () => {
    const input = `${encode(HS256)}.${encode(createTokenClaims())}`;
    const right = Buffer.from(sign(input), 'base64url');
    await isTaken(createBearerInit(`${input}.${right.toString('base64url')}`));
    for (const length of [1, 2, 16, 31, 33, 48, 64, 4096]) {
      const bytes = Buffer.alloc(length, right).toString('base64url');
      await allRejected({ [`${length} bytes`]: `${input}.${bytes}` });
    }
    for (const length of [0, 1, 31, 32, 63, 64, 65, 200]) {
      const bytes = Buffer.alloc(length, 7).toString('base64url');
      await isRejected(createBearerInit(`v4.local.${bytes}`), `${length} bytes of a sealed token`, '/sealed');
    }
  });

  for (const [what, value] of [
    ['empty', ''],
    ['undefined', undefined],
    ['a blank', ' '],
    ['blanks', ' \t \n'],
    ['a sample', 'your-256-bit-secret'],
    ['the word of a missing value', 'undefined'],
  ] as const) {
    it(`15: prevent the start with a key that is ${what}`, async () => {
      const env = value === undefined ? {} : { KEY: value };
      for (const type of ['JWT', 'PASETO']) {
        const files = { 'definitions/a.json': defineTokenResource('locked', { type, encryption_key: '$ENV.KEY' }) };
        // Errors visible from its length or its absence are found before the value is read.
        await expectRejectedStart(files, env, /KRN_BROKEN_SET|TOK_KEY.*locked/);
      }
    });
  }

  for (const [algorithm, key, words] of [
    ['RS256', 'no PEM text at all, but long', /BEGIN/],
    ['RS256', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', /cannot be read/],
    ['RS256', generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(), /RSA/],
    [
      'RS256',
      generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      /2048/,
    ],
    [
      'ES256',
      generateKeyPairSync('ec', { namedCurve: 'secp384r1' })
        .publicKey.export({ type: 'spki', format: 'pem' })
        .toString(),
      /P-256/,
    ],
    ['EdDSA', RSA_PUBLIC_PEM, /Ed25519/],
  ] as const) {
    it(`15: ${algorithm} rejects another kind of key at load (${words.source})`, async () => {
      const files = {
        'definitions/a.json': defineTokenResource('locked', { type: 'JWT', algorithm, encryption_key: '$ENV.KEY' }),
      };
      await expectRejectedStart(files, { KEY: key }, words);
    });
  }

  for (const [where, written] of [
    ['in the environment', '$ENV.KEY'],
    ['in the definition', 'thirty-one characters of a key.'],
  ] as const) {
    it(`15: never print a key that is ${where}`, async () => {
      const key = 'thirty-one characters of a key.';
      const files = {
        'definitions/a.json': defineTokenResource('locked', { type: 'PASETO', encryption_key: written }),
      };
      const error = await startError(files, { KEY: key });
      expect(error).to.be.instanceOf(InvalidDefinitionsError);
      const messages = (error as InvalidDefinitionsError).problems.map(({ message }) => message).join('\n');
      expect(messages).to.contain('31 characters').and.not.contain(key);
    });
  }
});
type FilesOf = Parameters<typeof startKernel>[0];

async function startError(
  files: NonNullable<FilesOf>['files'] & object,
  env: Record<string, string>,
): Promise<BootError> {
  try {
    const kernel = await startKernel({ files, env });
    await kernel.close();
  } catch (error) {
    expect(error).to.be.instanceOf(BootError);
    return error as BootError;
  }
  throw new Error('it started');
}

async function expectRejectedStart(
  files: NonNullable<FilesOf>['files'] & object,
  env: Record<string, string>,
  words: RegExp,
): Promise<void> {
  const { message } = await startError(files, env);
  expect(message).to.match(words);
}
