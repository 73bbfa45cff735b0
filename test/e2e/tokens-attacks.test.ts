/**
 * The known attacks on the form and the claims of tokens, over real HTTP. Each has a valid token created in the same
 * way, so that a guard which rejected everything would fail here too. All rejections must be the same response.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import { formatRequestHead, parseRaw } from '../support/client.js';
import { RSA_PAIR, RSA_PUBLIC_PEM } from '../support/rsa.js';
import { startTarget, type Target } from '../support/token-target.js';
import {
  createBearerInit,
  createTokenClaims,
  encode,
  forgeToken,
  HS256,
  signJwt,
  KEY,
  OTHER_KEY,
  getSeconds,
  sign,
} from '../support/tokens.js';

describe('attacks on tokens: form and claims', () => {
  let target: Target;
  before(async () => (target = await startTarget()));
  after(() => target.kernel.close());
  const isTaken: Target['isTaken'] = (...of) => target.isTaken(...of);
  const allRejected: Target['allRejected'] = (...of) => target.allRejected(...of);

  it('1: are rejected with no algorithm, or an invalid one', async () => {
    await isTaken(createBearerInit(forgeToken(HS256, createTokenClaims())));
    await isTaken(createBearerInit(await signJwt({ id: 'ada' })));
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
      const unsigned = `${encode({ alg, typ: 'JWT' })}.${encode(createTokenClaims())}`;
      const what = `alg ${JSON.stringify(alg)}`;
      await allRejected({
        [`${what}, signed`]: forgeToken({ alg, typ: 'JWT' }, createTokenClaims()),
        [`${what}, no signature`]: `${unsigned}.`,
        [`${what}, two parts`]: unsigned,
      });
    }
    await allRejected({ 'no header at all': forgeToken({}, createTokenClaims()) });
  });

  it('2: are rejected with another algorithm and the right key', async () => {
    await isTaken(createBearerInit(await signJwt({ id: 'ada' }, KEY, 'HS512')), '/longer');
    await allRejected({
      HS384: await signJwt({ id: 'ada' }, KEY, 'HS384'),
      HS512: await signJwt({ id: 'ada' }, KEY, 'HS512'),
      'HS512 declared as HS256': forgeToken(HS256, createTokenClaims(), KEY, 'sha512'),
      'HS256 declared as HS512': forgeToken({ alg: 'HS512' }, createTokenClaims()),
    });
    await allRejected({ HS256: await signJwt({ id: 'ada' }) }, '/longer');
  });

  it('3: are rejected with the public key as a shared secret', async () => {
    const valid = await new SignJWT(createTokenClaims()).setProtectedHeader({ alg: 'RS256' }).sign(RSA_PAIR.privateKey);
    await isTaken(createBearerInit(valid), '/rsa');
    const jwk = JSON.stringify(createPublicKey(RSA_PUBLIC_PEM).export({ format: 'jwk' }));
    const der = RSA_PAIR.publicKey.export({ type: 'spki', format: 'der' });
    for (const key of [RSA_PUBLIC_PEM, RSA_PUBLIC_PEM.trim(), ` ${RSA_PUBLIC_PEM}`, `x\n${RSA_PUBLIC_PEM}`, jwk, der]) {
      for (const alg of ['HS256', 'RS256'])
        await allRejected({ [alg]: forgeToken({ alg, typ: 'JWT' }, createTokenClaims(), key) }, '/rsa');
    }
    const foreignKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    await allRejected(
      { stranger: await new SignJWT(createTokenClaims()).setProtectedHeader({ alg: 'RS256' }).sign(foreignKey) },
      '/rsa',
    );
  });

  describe('4: header that contains a key', () => {
    let server: Server;
    let asked = 0;
    before((done) => {
      server = createServer((_req, res) => {
        asked++;
        res.end('{}');
      }).listen(0, '127.0.0.1', done);
    });
    after((done) => void server.close(done));

    it('is ignored: only the key of the definition is used', async () => {
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
        await isTaken(createBearerInit(forgeToken({ ...HS256, ...offer }, createTokenClaims())));
        await allRejected({
          [what]: forgeToken({ ...HS256, ...offer }, createTokenClaims(), OTHER_KEY),
          [`${what}, empty key`]: forgeToken({ ...HS256, ...offer }, createTokenClaims(), ''),
        });
      }
      expect(asked).to.equal(0);
    });
  });

  it('5: are rejected with extensions that would change the meaning', async () => {
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
      await allRejected({ [JSON.stringify(extra)]: forgeToken({ ...HS256, ...extra }, createTokenClaims()) });
    }
    await allRejected({ nested: forgeToken({ ...HS256, cty: 'JWT' }, await signJwt({ id: 'ada' })) });
    for (const typ of ['JWT', 'jwt', undefined])
      await isTaken(createBearerInit(forgeToken({ alg: 'HS256', typ }, createTokenClaims())));
  });

  it('6: are rejected with too many parts, too few, empty ones, other serializations', async () => {
    const token = await signJwt({ id: 'ada' });
    const [header = '', payload = '', signature = ''] = token.split('.');
    await isTaken(createBearerInit(token));
    await allRejected({
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

  it('6: are rejected if too long', async () => {
    const long = await signJwt({ id: 'ada', pad: 'x'.repeat(5000) });
    await isTaken(createBearerInit(long));
    await allRejected({
      'valid, but over 8 KiB': await signJwt({ id: 'ada', pad: 'x'.repeat(6500) }),
      'over 8 KiB': 'A'.repeat(8193),
      '14 KiB': 'A.'.repeat(7000),
    });
    // A value that no header of the server can contain is rejected earlier.
    const { status } = parseRaw(
      await target.kernel.raw(
        `${formatRequestHead('POST', '/jwt', { authorization: `Bearer ${'A'.repeat(1_000_000)}` })}`,
      ),
    );
    expect(status).to.be.oneOf([401, 431]);
    await isTaken(createBearerInit(long));
  });

  it('7: are rejected in other notations of the same bytes', async () => {
    const token = await signJwt({ id: 'ada' });
    const [header = '', payload = '', signature = ''] = token.split('.');
    // 32 bytes end in a character of which the last two bits are not used.
    const next = (text: string): string =>
      text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1);
    const plain = Buffer.from(signature, 'base64url').toString('base64');
    await isTaken(createBearerInit(token));
    await allRejected({
      'padding bits': `${header}.${payload}.${next(signature)}`,
      padding: `${token}=`,
      'double padding': `${header}=.${payload}=.${signature}=`,
      'the other alphabet': `${header}.${payload}.${plain}`,
      'a blank inside': `${header}.${payload} .${signature}`,
      'a stray character': `${header}.${payload}?.${signature}`,
      'percent escapes': encodeURIComponent(`${token}\n`),
    });
    // Padding is signed along: only its form is wrong.
    const padded = `${encode(HS256)}=.${encode(createTokenClaims())}`;
    await allRejected({ 'padding that was signed': `${padded}.${sign(padded)}` });
  });

  it('8: are rejected with invalid, past and future timestamps', async () => {
    const wrong: Readonly<Record<string, object>> = {
      'no exp': { exp: undefined },
      'exp null': { exp: null },
      'exp text': { exp: String(getSeconds(600)) },
      'exp float': { exp: getSeconds(600) + 0.5 },
      'exp negative': { exp: -1 },
      'exp zero': { exp: 0 },
      'exp true': { exp: true },
      'exp in a list': { exp: [getSeconds(600)] },
      'exp expired by 40 s': { exp: getSeconds(-40) },
      'exp expired by a year': { exp: getSeconds(-31_536_000) },
      'exp as a date': { exp: new Date(Date.now() + 600_000).toISOString() },
      'exp in milliseconds': { exp: Date.now() + 600_000 },
      'nbf in 40 s': { nbf: getSeconds(40) },
      'nbf text': { nbf: '1' },
      'nbf null': { nbf: null },
      'iat in 40 s': { iat: getSeconds(40) },
      'iat text': { iat: 'now' },
      'iat float': { iat: 1.5 },
    };
    for (const [what, claims] of Object.entries(wrong)) {
      await allRejected({ [what]: forgeToken(HS256, { ...createTokenClaims(), ...claims }) });
    }
    for (const digits of ['1e308', '1e400', '9007199254740993', '-1e400']) {
      await allRejected({ [digits]: forgeToken(HS256, `{"id":"ada","exp":${digits}}`) });
    }
    for (const claims of [
      { exp: getSeconds(-20) },
      { nbf: getSeconds(20) },
      { iat: getSeconds(20) },
      { iat: undefined },
    ]) {
      await isTaken(createBearerInit(forgeToken(HS256, { ...createTokenClaims(), ...claims })));
    }
  });

  it('9: are rejected with claims that are not an object, duplicate names, inherited names', async () => {
    const exp = getSeconds(600);
    const payloads: Readonly<Record<string, string>> = {
      'a list': `[{"id":"ada","exp":${exp}}]`,
      null: 'null',
      'a number': '5',
      text: '"text"',
      'no JSON': 'id=ada',
      comments: `{"id":"ada",/* */"exp":${exp}}`,
      'a byte order mark': `\ufeff{"id":"ada","exp":${exp}}`,
      'the same name twice': `{"id":"ada","exp":${exp},"id":"ada"}`,
      'the same name in two notations': `{"id":"ada","exp":${exp},"\\u0069d":"eve"}`,
      'exp twice': `{"id":"ada","exp":1,"exp":${exp}}`,
      'a duplicate in a nested object': `{"id":"ada","exp":${exp},"a":[{"b":{"c":1,"c":2}}]}`,
      __proto__: `{"id":"ada","exp":${exp},"__proto__":{"admin":true}}`,
      'an escaped proto': `{"id":"ada","exp":${exp},"a":{"\\u005f_proto__":1}}`,
      constructor: `{"id":"ada","exp":${exp},"constructor":{"prototype":{}}}`,
      'too deep': `{"id":"ada","exp":${exp},"a":${'['.repeat(1000)}${']'.repeat(1000)}}`,
    };
    for (const [what, payload] of Object.entries(payloads)) await allRejected({ [what]: forgeToken(HS256, payload) });
    const input = `${encode(HS256)}.${Buffer.from(`{"id":"\xff","exp":${exp}}`, 'latin1').toString('base64url')}`;
    await allRejected({ 'invalid UTF-8': `${input}.${sign(input)}` });
    await allRejected({
      'alg twice': forgeToken('{"alg":"none","alg":"HS256"}', createTokenClaims()),
      'a list': forgeToken('["HS256"]', createTokenClaims()),
    });
    await isTaken(
      createBearerInit(
        forgeToken(HS256, `{ "id" : "ada", "exp":${exp}, "a": [{"id": 1}, {"id": 2}], "b": "\\"id\\": 1" }`),
      ),
    );
  });
});
