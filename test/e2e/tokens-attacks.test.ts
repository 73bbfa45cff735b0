/**
 * The known attacks on tokens, over real HTTP. Beside each stands a token of the same making that is taken, so that a guard
 * which refused everything would fail here too. All refusals must be the same answer.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import { encrypt, sign as signPublic, generateKeys } from 'paseto-ts/v4';
import { BootError } from '../../kernel/contract/boot-error.js';
import { head, parseRaw } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { returning } from '../support/project.js';
import { bearer, claimsOf, encode, forge, HS256, jwt, KEY, OTHER_KEY, seconds, sign } from '../support/tokens.js';

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PUBLIC_PEM = RSA.publicKey.export({ type: 'spki', format: 'pem' }).toString();

const guarded = (id: string, tokenize: object, more: object = {}): object => ({
  ...returning(id, { id: '$PROTECTED.id' }),
  tokenize,
  protected: { extract_claims: ['id'], ...more },
});
const HS = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.KEY' };

const FILES = {
  'definitions/a.json': [
    guarded('jwt', HS),
    guarded('custom', HS, { provide_as: 'X-Access-Token' }),
    guarded('other', { ...HS, encryption_key: '$ENV.OTHER_KEY' }),
    guarded('longer', { ...HS, algorithm: 'HS512' }),
    guarded('rsa', { type: 'JWT', algorithm: 'RS256', encryption_key: '$ENV.PUBLIC_PEM' }),
    guarded('sealed', { type: 'PASETO', encryption_key: '$ENV.KEY' }),
  ],
};

const ENV = { KEY, OTHER_KEY, PUBLIC_PEM };

describe('attacks on tokens', () => {
  let kernel: TestKernel;
  let refusal: string | undefined;
  before(async () => (kernel = await startKernel({ files: FILES, env: ENV })));
  after(() => kernel.close());

  const isTaken = async (init: RequestInit, path = '/jwt'): Promise<void> => {
    const { status, text } = await kernel.post(path, {}, init);
    expect(status, `a sound token at ${path}: ${text}`).to.equal(200);
    expect(JSON.parse(text)).to.deep.equal({ id: 'ada' });
  };

  /** The same words and the same headers for whatever is wrong. */
  const judge = (status: number, text: string, what: string): void => {
    expect(status, `${what}: ${text}`).to.equal(401);
    const words = text.replace(/urn:request:[0-9a-f-]+/, '');
    refusal ??= words;
    expect(words, what).to.equal(refusal);
    expect(words).to.contain('TOK_REFUSED');
  };

  const isRefused = async (init: RequestInit, what: string, path = '/jwt'): Promise<void> => {
    const { status, text, headers } = await kernel.post(path, {}, init);
    judge(status, text, what);
    expect(headers.get('www-authenticate'), what).to.equal(path === '/custom' ? null : 'Bearer');
  };

  const allRefused = async (tokens: Readonly<Record<string, string>>, path = '/jwt'): Promise<void> => {
    for (const [what, token] of Object.entries(tokens)) await isRefused(bearer(token), what, path);
  };

  it('1: no algorithm, or something that is none', async () => {
    await isTaken(bearer(forge(HS256, claimsOf())));
    await isTaken(bearer(await jwt({ id: 'ada' })));
    for (const alg of [
      'none',
      'None',
      'nOnE',
      'NONE',
      undefined,
      null,
      '',
      0,
      ['HS256'],
      { alg: 'HS256' },
      'hs256',
      ' HS256',
    ]) {
      const unsigned = `${encode({ alg, typ: 'JWT' })}.${encode(claimsOf())}`;
      const what = `alg ${JSON.stringify(alg)}`;
      await allRefused({
        [`${what}, signed`]: forge({ alg, typ: 'JWT' }, claimsOf()),
        [`${what}, no signature`]: `${unsigned}.`,
        [`${what}, two parts`]: unsigned,
      });
    }
    await allRefused({ 'no header at all': forge({}, claimsOf()) });
  });

  it('2: another algorithm with the right key', async () => {
    await isTaken(bearer(await jwt({ id: 'ada' }, KEY, 'HS512')), '/longer');
    await allRefused({
      HS384: await jwt({ id: 'ada' }, KEY, 'HS384'),
      HS512: await jwt({ id: 'ada' }, KEY, 'HS512'),
      'HS512 that calls itself HS256': forge(HS256, claimsOf(), KEY, 'sha512'),
      'HS256 that calls itself HS512': forge({ alg: 'HS512' }, claimsOf()),
    });
    await allRefused({ HS256: await jwt({ id: 'ada' }) }, '/longer');
  });

  it('3: the public key as a shared secret', async () => {
    const sound = await new SignJWT(claimsOf()).setProtectedHeader({ alg: 'RS256' }).sign(RSA.privateKey);
    await isTaken(bearer(sound), '/rsa');
    const jwk = JSON.stringify(createPublicKey(PUBLIC_PEM).export({ format: 'jwk' }));
    const der = RSA.publicKey.export({ type: 'spki', format: 'der' });
    for (const key of [PUBLIC_PEM, PUBLIC_PEM.trim(), ` ${PUBLIC_PEM}`, `x\n${PUBLIC_PEM}`, jwk, der]) {
      for (const alg of ['HS256', 'RS256'])
        await allRefused({ [alg]: forge({ alg, typ: 'JWT' }, claimsOf(), key) }, '/rsa');
    }
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    await allRefused(
      { stranger: await new SignJWT(claimsOf()).setProtectedHeader({ alg: 'RS256' }).sign(stranger) },
      '/rsa',
    );
  });

  it('3: a PEM key is no shared secret: refused at load', async () => {
    const files = { 'definitions/a.json': guarded('a', { ...HS, encryption_key: '$ENV.PUBLIC_PEM' }) };
    await expectRefusedStart(files, ENV, /PEM/);
  });

  describe('4: a header that offers a key', () => {
    let server: Server;
    let asked = 0;
    before((done) => {
      server = createServer((_req, res) => {
        asked++;
        res.end('{}');
      }).listen(0, '127.0.0.1', done);
    });
    after((done) => void server.close(done));

    it('is not followed: the signature of the definition counts alone', async () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys.json`;
      const jwk = { kty: 'oct', k: encode(OTHER_KEY) };
      for (const offer of [
        { jwk },
        { jku: url },
        { x5u: url },
        { x5c: [encode('certificate')] },
        { kid: '../../../../dev/null' },
        { kid: "' OR 1=1 --" },
        { kid: '/etc/passwd' },
        { kid: 5 },
      ]) {
        const what = JSON.stringify(offer);
        await isTaken(bearer(forge({ ...HS256, ...offer }, claimsOf())));
        await allRefused({
          [what]: forge({ ...HS256, ...offer }, claimsOf(), OTHER_KEY),
          [`${what}, empty key`]: forge({ ...HS256, ...offer }, claimsOf(), ''),
        });
      }
      expect(asked).to.equal(0);
    });
  });

  it('5: extensions that would change the meaning', async () => {
    for (const extra of [
      { crit: ['exp'] },
      { crit: [] },
      { crit: ['b64'], b64: false },
      { b64: false },
      { b64: true },
      { zip: 'DEF' },
      { cty: 'JWT' },
      { cty: 'at+jwt' },
      { enc: 'A256GCM' },
      { typ: 'JWE' },
      { typ: 'at+jwt' },
      { typ: 5 },
    ]) {
      await allRefused({ [JSON.stringify(extra)]: forge({ ...HS256, ...extra }, claimsOf()) });
    }
    await allRefused({ nested: forge({ ...HS256, cty: 'JWT' }, await jwt({ id: 'ada' })) });
    for (const typ of ['JWT', 'jwt', undefined]) await isTaken(bearer(forge({ alg: 'HS256', typ }, claimsOf())));
  });

  it('6: too many parts, too few, empty ones, other serialisations', async () => {
    const token = await jwt({ id: 'ada' });
    const [header = '', payload = '', signature = ''] = token.split('.');
    await isTaken(bearer(token));
    await allRefused({
      'five parts': `${token}.${payload}.${signature}`,
      'four parts': `${token}.${signature}`,
      'dot at the end': `${token}.`,
      'dot at the start': `.${token}`,
      'no header': `.${payload}.${signature}`,
      'no payload': `${header}..${signature}`,
      'no signature': `${header}.${payload}.`,
      'one part': header,
      dots: '..',
      'JSON serialisation': JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
      'an empty text': '',
    });
  });

  it('6: too long ones', async () => {
    const long = await jwt({ id: 'ada', pad: 'x'.repeat(5000) });
    await isTaken(bearer(long));
    await allRefused({
      'sound, but over 8 KiB': await jwt({ id: 'ada', pad: 'x'.repeat(6500) }),
      'over 8 KiB': 'A'.repeat(8193),
      '14 KiB': 'A.'.repeat(7000),
    });
    // What no header of the server can hold never gets that far.
    const { status } = parseRaw(
      await kernel.raw(`${head('POST', '/jwt', { authorization: `Bearer ${'A'.repeat(1_000_000)}` })}`),
    );
    expect(status).to.be.oneOf([401, 431]);
    await isTaken(bearer(long));
  });

  it('7: other spellings of the same bytes', async () => {
    const token = await jwt({ id: 'ada' });
    const [header = '', payload = '', signature = ''] = token.split('.');
    // 32 bytes end in a character of which the last two bits are not used.
    const next = (text: string): string =>
      text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1);
    const plain = Buffer.from(signature, 'base64url').toString('base64');
    await isTaken(bearer(token));
    await allRefused({
      'padding bits': `${header}.${payload}.${next(signature)}`,
      padding: `${token}=`,
      'double padding': `${header}=.${payload}=.${signature}=`,
      'the other alphabet': `${header}.${payload}.${plain}`,
      'a blank inside': `${header}.${payload} .${signature}`,
      'a stray character': `${header}.${payload}?.${signature}`,
      'percent escapes': encodeURIComponent(`${token}\n`),
    });
    // Padding is signed along: only its form is wrong.
    const padded = `${encode(HS256)}=.${encode(claimsOf())}`;
    await allRefused({ 'padding that was signed': `${padded}.${sign(padded)}` });
  });

  it('8: instants that are none, over, or to come', async () => {
    const wrong: Readonly<Record<string, object>> = {
      'no exp': { exp: undefined },
      'exp null': { exp: null },
      'exp text': { exp: String(seconds(600)) },
      'exp float': { exp: seconds(600) + 0.5 },
      'exp negative': { exp: -1 },
      'exp zero': { exp: 0 },
      'exp true': { exp: true },
      'exp in a list': { exp: [seconds(600)] },
      'exp over by 40 s': { exp: seconds(-40) },
      'exp over by a year': { exp: seconds(-31_536_000) },
      'exp as a date': { exp: new Date(Date.now() + 600_000).toISOString() },
      'exp in milliseconds': { exp: Date.now() + 600_000 },
      'nbf in 40 s': { nbf: seconds(40) },
      'nbf text': { nbf: '1' },
      'nbf null': { nbf: null },
      'iat in 40 s': { iat: seconds(40) },
      'iat text': { iat: 'now' },
      'iat float': { iat: 1.5 },
    };
    for (const [what, claims] of Object.entries(wrong)) {
      await allRefused({ [what]: forge(HS256, { ...claimsOf(), ...claims }) });
    }
    for (const digits of ['1e308', '1e400', '9007199254740993', '-1e400']) {
      await allRefused({ [digits]: forge(HS256, `{"id":"ada","exp":${digits}}`) });
    }
    for (const claims of [{ exp: seconds(-20) }, { nbf: seconds(20) }, { iat: seconds(20) }, { iat: undefined }]) {
      await isTaken(bearer(forge(HS256, { ...claimsOf(), ...claims })));
    }
  });

  it('9: claims that are no object, names twice, names of the runtime', async () => {
    const exp = seconds(600);
    const payloads: Readonly<Record<string, string>> = {
      'a list': `[{"id":"ada","exp":${exp}}]`,
      null: 'null',
      'a number': '5',
      text: '"text"',
      'no JSON': 'id=ada',
      comments: `{"id":"ada",/* */"exp":${exp}}`,
      'a byte order mark': `\ufeff{"id":"ada","exp":${exp}}`,
      'the same name twice': `{"id":"ada","exp":${exp},"id":"ada"}`,
      'the same name in two spellings': `{"id":"ada","exp":${exp},"\\u0069d":"eve"}`,
      'exp twice': `{"id":"ada","exp":1,"exp":${exp}}`,
      'twice further in': `{"id":"ada","exp":${exp},"a":[{"b":{"c":1,"c":2}}]}`,
      __proto__: `{"id":"ada","exp":${exp},"__proto__":{"admin":true}}`,
      'a spelt proto': `{"id":"ada","exp":${exp},"a":{"\\u005f_proto__":1}}`,
      constructor: `{"id":"ada","exp":${exp},"constructor":{"prototype":{}}}`,
      'too deep': `{"id":"ada","exp":${exp},"a":${'['.repeat(1000)}${']'.repeat(1000)}}`,
    };
    for (const [what, payload] of Object.entries(payloads)) await allRefused({ [what]: forge(HS256, payload) });
    const input = `${encode(HS256)}.${Buffer.from(`{"id":"\xff","exp":${exp}}`, 'latin1').toString('base64url')}`;
    await allRefused({ 'invalid UTF-8': `${input}.${sign(input)}` });
    await allRefused({
      'alg twice': forge('{"alg":"none","alg":"HS256"}', claimsOf()),
      'a list': forge('["HS256"]', claimsOf()),
    });
    await isTaken(
      bearer(forge(HS256, `{ "id" : "ada", "exp":${exp}, "a": [{"id": 1}, {"id": 2}], "b": "\\"id\\": 1" }`)),
    );
  });

  it('10: a token of another resource, with another key', async () => {
    const own = await jwt({ id: 'ada' });
    const other = await jwt({ id: 'ada' }, OTHER_KEY);
    await isTaken(bearer(own));
    await isTaken(bearer(other), '/other');
    await allRefused({ other });
    await allRefused({ own }, '/other');
    // Also when it was seen, and is remembered, elsewhere.
    await allRefused({ own }, '/longer');
  });

  it('11: a token of another format, version or purpose', async () => {
    const local = encrypt(`k4.local.${Buffer.from(KEY).toString('base64url')}`, { id: 'ada' });
    await isTaken(bearer(local), '/sealed');
    const jwtToken = await jwt({ id: 'ada' });
    await isTaken(bearer(jwtToken));
    const { secretKey } = generateKeys('public');
    const signed = signPublic(secretKey, { id: 'ada' });
    await allRefused({ local });
    await allRefused(
      {
        jwt: jwtToken,
        'v4.public': signed,
        'public that calls itself local': signed.replace('v4.public.', 'v4.local.'),
        v3: local.replace('v4.', 'v3.'),
        v2: local.replace('v4.', 'v2.'),
        'upper case': local.replace('v4.local', 'V4.LOCAL'),
        'an empty footer': `${local}.`,
        'a footer that was not sealed': `${local}.${encode('{"kid":"1"}')}`,
        'two footers': `${local}.${encode('a')}.${encode('b')}`,
        'no body': 'v4.local.',
        'too short': `v4.local.${encode('x'.repeat(63))}`,
        numbers: encrypt(`k4.local.${Buffer.from(KEY).toString('base64url')}`, `{"id":"ada","exp":${seconds(600)}}`, {
          validatePayload: false,
          addIat: false,
          addExp: false,
        }),
        'no exp': encrypt(`k4.local.${Buffer.from(KEY).toString('base64url')}`, { id: 'ada' }, { addExp: false }),
      },
      '/sealed',
    );
    const footer = encrypt(`k4.local.${Buffer.from(KEY).toString('base64url')}`, { id: 'ada' }, { footer: 'a footer' });
    await isTaken(bearer(footer), '/sealed');
  });

  it('12: only the header, once, and in one form', async () => {
    const token = await jwt({ id: 'ada' });
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
      await isRefused({ headers: { authorization: value } }, value.replace(token, '<token>'));
    }
    await isRefused({ headers: { cookie: `authorization=Bearer ${token}; token=${token}` } }, 'a cookie');
    await isRefused({ headers: { 'x-access-token': token } }, 'another header');
    await isRefused({ headers: { 'proxy-authorization': `Bearer ${token}` } }, 'a header of that sort');
    for (const name of ['token', 'access_token', 'authorization']) {
      const { status, text } = await kernel.post(`/jwt?${name}=${token}`, { [name]: token });
      judge(status, text, `${name} in query and body`);
    }
    const twice = `${head('POST', '/jwt', { connection: 'close', authorization: `Bearer ${token}` }).slice(0, -2)}Authorization: Bearer ${token}\r\n\r\n`;
    const { status, body } = parseRaw(await kernel.raw(twice));
    judge(status, body, 'the header twice');
  });

  it('13: a header of its own, twice or with commas', async () => {
    const token = await jwt({ id: 'ada' });
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
      await isRefused({ headers: { 'x-access-token': value } }, value.replaceAll(token, '<token>'), '/custom');
    }
    await isRefused(bearer(token), 'the usual header', '/custom');
    const lines = `x-access-token: ${token}\r\nX-Access-Token: ${token}\r\n\r\n`;
    const { status, body } = parseRaw(
      await kernel.raw(head('POST', '/custom', { connection: 'close' }).slice(0, -2) + lines),
    );
    judge(status, body, 'the header twice');
  });

  it('14: signatures of every length', async () => {
    const input = `${encode(HS256)}.${encode(claimsOf())}`;
    const right = Buffer.from(sign(input), 'base64url');
    await isTaken(bearer(`${input}.${right.toString('base64url')}`));
    for (const length of [1, 2, 16, 31, 33, 48, 64, 4096]) {
      const bytes = Buffer.alloc(length, right).toString('base64url');
      await allRefused({ [`${length} bytes`]: `${input}.${bytes}` });
    }
    for (const length of [0, 1, 31, 32, 63, 64, 65, 200]) {
      const bytes = Buffer.alloc(length, 7).toString('base64url');
      await isRefused(bearer(`v4.local.${bytes}`), `${length} bytes of a sealed token`, '/sealed');
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
    it(`15: a key that is ${what} stops the start`, async () => {
      const env = value === undefined ? {} : { KEY: value };
      for (const type of ['JWT', 'PASETO']) {
        const files = { 'definitions/a.json': guarded('locked', { type, encryption_key: '$ENV.KEY' }) };
        const isMissing = value === undefined || value === '';
        await expectRefusedStart(files, env, isMissing ? /KRN_BROKEN_SET/ : /TOK_KEY.*locked/);
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
    ['EdDSA', PUBLIC_PEM, /Ed25519/],
  ] as const) {
    it(`15: ${algorithm} refuses another sort of key at load (${words.source})`, async () => {
      const files = { 'definitions/a.json': guarded('locked', { type: 'JWT', algorithm, encryption_key: '$ENV.KEY' }) };
      await expectRefusedStart(files, { KEY: key }, words);
    });
  }

  it('15: a key that stands in the definition never stands in what is said about it', async () => {
    const key = 'thirty-one characters of a key.';
    const error = await startError(
      { 'definitions/a.json': guarded('locked', { type: 'PASETO', encryption_key: '$ENV.KEY' }) },
      { KEY: key },
    );
    expect(JSON.stringify([error.message, error.params]))
      .to.contain('31 characters')
      .and.not.contain(key);
  });
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

async function expectRefusedStart(
  files: NonNullable<FilesOf>['files'] & object,
  env: Record<string, string>,
  words: RegExp,
): Promise<void> {
  const { message } = await startError(files, env);
  expect(message).to.match(words);
}
