/** Webhooks over real HTTP: what each verifier accepts, how they are combined, and the checks before the work. */
import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import type { Json } from '../../contract/json.js';
import { formatRequestHead, parseRaw } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { createBearerInit, forgeToken, signJwt, OTHER_KEY, getSeconds } from '../support/tokens.js';
import { signHmac, signRsa } from '../support/webhooks.js';

const SENDER = generateKeyPairSync('rsa', { modulusLength: 2048 });
const SECRET = 'whsec-9dKq27LmZt4xVb8RfJ3nWc6yTh';
const ENV = {
  HOOK: SECRET,
  OTHER: 'whsec-Pw6Yc3Hn1Qs5Ja0',
  TOKENS: OTHER_KEY,
  PEM: SENDER.publicKey.export({ type: 'spki', format: 'pem' }).toString().replaceAll('\n', '\\n'),
  HERE: '::1 | 127.0.0.1,',
  ELSEWHERE: '203.0.113.0/24',
};

const HMAC = { sig_header: '$HEADER.x-signature', secret_key: '$ENV.HOOK' };
const TOKEN = { header_key: '$HEADER.X-Token', secret_key: '$ENV.OTHER' };
const RSA = { header_key: '$HEADER.x-rsa', public_key_pem: '$ENV.PEM' };
const JWT = { header_key: '$HEADER.authorization', secret_key: '$ENV.HOOK', algorithm: 'HS512' };

const hook = (id: string, verifications: Json, rest: object = {}): object => ({
  ...defineReturnResource(id, { got: '$PAYLOAD' }),
  webhook: { verifications },
  ...rest,
});

const FILES = {
  'definitions/a.json': [
    hook('hmac', { HmacSignatureVerifier: HMAC }),
    hook('sha512', { HmacSignatureVerifier: { ...HMAC, algorithm: 'sha512' } }),
    hook('token', { HeaderTokenVerifier: TOKEN }),
    hook('rsa', { PublicKeySignatureVerifier: RSA }),
    hook('jwt', { JwtVerifier: JWT }),
    hook('here', { IpAllowListVerifier: { allowed_ips: '$ENV.HERE' } }),
    hook('elsewhere', { IpAllowListVerifier: { allowed_ips: '$ENV.ELSEWHERE' } }),
    hook('all', { HmacSignatureVerifier: HMAC, HeaderTokenVerifier: TOKEN }),
    hook('any', { composition_strategy_mode: 'ANY', HmacSignatureVerifier: HMAC, HeaderTokenVerifier: TOKEN }),
    hook(
      'both',
      { HeaderTokenVerifier: TOKEN },
      {
        tokenize: { type: 'JWT', encryption_key: '$ENV.TOKENS' },
        protected: { provide_as: 'x-access' },
      },
    ),
    hook('named/:name', { HmacSignatureVerifier: { ...HMAC, path: 'unsigned' } }),
  ],
};

describe('webhooks', () => {
  let kernel: TestKernel;
  before(async () => {
    kernel = await startKernel({
      validated: true,
      files: FILES,
      env: ENV,
      config: { http: { methods: ['POST', 'GET', 'DELETE'] } },
    });
  });
  after(() => kernel.close());

  const BODY = '{ "event":"paid",  "n": 1.50 }';
  const send = (path: string, headers: Record<string, string>, body: string | undefined = BODY) =>
    kernel.post(path, body, { headers });
  const status = async (path: string, headers: Record<string, string>, body?: string): Promise<number> =>
    (await send(path, headers, body)).status;
  const expectAccepted = async (path: string, headers: Record<string, string>, body?: string): Promise<void> => {
    const { status: code, body: got, headers: sent } = await send(path, headers, body);
    expect([code, got]).to.deep.equal([200, { got: JSON.parse(body ?? BODY) as unknown }]);
    expect(sent.get('cache-control')).to.equal('no-store');
  };

  it('HMAC: accept the plain form or with its algorithm, in digits of any case', async () => {
    const signature = signHmac(BODY, SECRET);
    for (const value of [
      signature,
      `sha256=${signature}`,
      signature.toUpperCase(),
      `sha256=${signature.toUpperCase()}`,
    ])
      await expectAccepted('/hmac', { 'x-signature': value });
    await expectAccepted('/sha512', { 'x-signature': `sha512=${signHmac(BODY, SECRET, 'sha512')}` });
    expect(await status('/sha512', { 'x-signature': signature })).to.equal(401);
    expect(await status('/hmac', { 'x-signature': signHmac(BODY, ENV.OTHER) })).to.equal(401);
  });

  it('16: reject a body that differs in a single byte', async () => {
    const headers = { 'x-signature': signHmac(BODY, SECRET) };
    await expectAccepted('/hmac', headers);
    const others = {
      'white space': '{"event":"paid","n":1.50}',
      'order of keys': '{ "n": 1.50,  "event":"paid" }',
      'the same number': '{ "event":"paid",  "n": 1.5 }',
      'an escape': '{ "event":"\\u0070aid",  "n": 1.50 }',
      'a line break at the end': `${BODY}\n`,
      'a byte order mark': `\ufeff${BODY}`,
      cut: BODY.slice(0, -1),
      nothing: '',
    };
    for (const [what, body] of Object.entries(others)) expect(await status('/hmac', headers, body), what).to.equal(401);
    const latin = Buffer.from('{"event":"café"}', 'latin1');
    const { status: code } = await kernel.post('/hmac', latin, {
      headers: {
        'x-signature': signHmac('{"event":"café"}', SECRET),
        'content-type': 'application/json; charset=utf-8',
      },
    });
    expect(code, 'another encoding of the same text').to.equal(401);
  });

  it('16: reject compressed bodies, for every signer', async () => {
    const { gzipSync } = await import('node:zlib');
    const bytes = gzipSync(BODY);
    for (const signed of [bytes, Buffer.from(BODY)]) {
      const headers = { 'x-signature': signHmac(signed, SECRET), 'content-encoding': 'gzip' };
      const answer = await kernel.post('/hmac', bytes, { headers });
      expect([answer.status, answer.body['code']]).to.deep.equal([415, 'REQ_ENCODING']);
    }
    expect(await status('/token', { 'x-token': ENV.OTHER, 'content-encoding': 'gzip' })).to.equal(415);
  });

  it('17: reject a header that is missing, repeated, empty or truncated', async () => {
    const signature = signHmac(BODY, SECRET);
    const raw = async (...values: readonly string[]): Promise<number> => {
      const lines = values.map((value) => `x-signature: ${value}\r\n`).join('');
      const top = formatRequestHead('POST', '/hmac', {
        'content-type': 'application/json',
        'content-length': BODY.length,
        connection: 'close',
      });
      return parseRaw(await kernel.raw(`${top.slice(0, -2)}${lines}\r\n${BODY}`)).status;
    };
    expect(await raw(signature)).to.equal(200);
    const wrong = {
      missing: [],
      'twice the same': [signature, signature],
      'a wrong one first': ['0'.repeat(64), signature],
      'a wrong one last': [signature, '0'.repeat(64)],
      joined: [`${signature}, ${signature}`],
      'an array': [`["${signature}"]`],
      empty: [''],
      'nothing after the algorithm': ['sha256='],
      'half a digest': [signature.slice(0, 32)],
      'a digit less': [signature.slice(0, -1)],
      'two digits less': [`sha256=${signature.slice(0, -2)}`],
      'a digit more': [`${signature}0`],
      'two digits more': [`${signature}00`],
      'no digits': ['z'.repeat(64)],
      'a blank inside': [`${signature.slice(0, 32)} ${signature.slice(32)}`],
      'another algorithm': [`sha512=${signature}`],
      sha1: [`sha1=${signHmac(BODY, SECRET, 'sha1')}`],
      'twice the algorithm': [`sha256=sha256=${signature}`],
      'an algorithm in capitals': [`SHA256=${signature}`],
      base64: [Buffer.from(signature, 'hex').toString('base64')],
    };
    for (const [what, values] of Object.entries(wrong)) expect(await raw(...values), what).to.equal(401);
  });

  it('sign no address with an empty signature', async () => {
    const headers = { 'x-signature': signHmac('', SECRET) };
    expect((await kernel.request('GET', '/hmac?event=paid', { headers })).status).to.equal(401);
    expect((await kernel.request('DELETE', '/hmac?event=paid', { headers })).status).to.equal(401);
    expect((await kernel.request('GET', '/hmac', { headers })).status).to.equal(401);
    expect((await kernel.post('/named/ada', undefined, { headers })).status).to.equal(401);
    expect(
      (await kernel.post('/named/ada', '{}', { headers: { 'x-signature': signHmac('{}', SECRET) } })).status,
    ).to.equal(200);
    // A POST without a body has no payload that a sender could choose.
    const { status: code, body } = await kernel.post('/hmac', undefined, { headers });
    expect([code, body]).to.deep.equal([200, { got: {} }]);
  });

  it('20: compare a token as a whole, whatever its length', async () => {
    await expectAccepted('/token', { 'x-token': ENV.OTHER });
    for (const value of [ENV.OTHER.slice(0, -1), `${ENV.OTHER}x`, ENV.OTHER.toLowerCase(), 'x', 'x'.repeat(5000), 'é'])
      expect(await status('/token', { 'x-token': value }), value.slice(0, 30)).to.equal(401);
    for (const headers of [{}, { 'x-token': '' }, { 'x-token': `${ENV.OTHER}, ${ENV.OTHER}` }])
      expect(await status('/token', headers)).to.equal(401);
  });

  it('RSA: accept PKCS#1 v1.5 in Base64, in one notation', async () => {
    const signature = signRsa(BODY, SENDER.privateKey);
    await expectAccepted('/rsa', { 'x-rsa': signature });
    const foreignKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const bytes = Buffer.from(signature, 'base64');
    const wrong = {
      stranger: signRsa(BODY, foreignKeys.privateKey),
      'another body': signRsa(`${BODY} `, SENDER.privateKey),
      base64url: bytes.toString('base64url'),
      'no padding': signature.replace(/=+$/, ''),
      hex: bytes.toString('hex'),
      'a byte less': bytes.subarray(1).toString('base64'),
      'a byte more': Buffer.concat([Buffer.from([0]), bytes]).toString('base64'),
      'a blank': ` ${signature.slice(0, 20)} ${signature.slice(20)}`,
      empty: '',
    };
    for (const [what, value] of Object.entries(wrong))
      expect(await status('/rsa', { 'x-rsa': value }), what).to.equal(401);
  });

  it('JWT: check the algorithm of the definition, and the timestamps', async () => {
    await expectAccepted('/jwt', { authorization: `Bearer ${await signJwt({}, SECRET, 'HS512')}` });
    const at = (claims: object): Promise<string> => signJwt({ ...claims }, SECRET, 'HS512');
    const wrong = {
      'another algorithm': await signJwt({}, SECRET, 'HS256'),
      none: forgeToken({ alg: 'none', typ: 'JWT' }, { exp: getSeconds(600) }, ''),
      'another key': await signJwt({}, ENV.OTHER, 'HS512'),
      over: await at({ exp: getSeconds(-60) }),
      'not yet': await at({ nbf: getSeconds(120) }),
      'for ever': forgeToken({ alg: 'HS512', typ: 'JWT' }, { iat: getSeconds() }, SECRET),
    };
    for (const [what, token] of Object.entries(wrong))
      expect(await status('/jwt', { authorization: `Bearer ${token}` }), what).to.equal(401);
    expect(await status('/jwt', { authorization: await at({}) }), 'without its scheme').to.equal(401);
    expect(await status('/jwt', {})).to.equal(401);
  });

  it('19: check the address of the connection, not headers of clients', async () => {
    await expectAccepted('/here', {});
    await expectAccepted('/here', { 'x-forwarded-for': '203.0.113.9' });
    expect(await status('/elsewhere', {})).to.equal(401);
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'client-ip', 'true-client-ip'])
      expect(await status('/elsewhere', { [name]: '203.0.113.9' }), name).to.equal(401);
  });

  it('19: read only the entry of a trusted proxy', async () => {
    const behind = await startKernel({ files: FILES, env: ENV, config: { http: { trusted_proxies: 1 } } });
    const postFrom = async (forwarded: string): Promise<number> =>
      (await behind.post('/elsewhere', {}, { headers: { 'x-forwarded-for': forwarded } })).status;
    expect(await postFrom('203.0.113.9')).to.equal(200);
    expect(await postFrom('198.51.100.1, ::ffff:203.0.113.9')).to.equal(200);
    expect(await postFrom('203.0.113.9, 198.51.100.1')).to.equal(401);
    expect(await postFrom('not an address')).to.equal(401);
    await behind.close();
  });

  it('ALL: require every verifier; ANY: require one', async () => {
    const signature = { 'x-signature': signHmac(BODY, SECRET) };
    const token = { 'x-token': ENV.OTHER };
    await expectAccepted('/all', { ...signature, ...token });
    for (const headers of [signature, token, { ...signature, 'x-token': 'x' }, { 'x-signature': 'x', ...token }, {}])
      expect(await status('/all', headers)).to.equal(401);
    for (const headers of [{ ...signature, ...token }, signature, token, { ...signature, 'x-token': 'x' }])
      await expectAccepted('/any', headers);
    for (const headers of [{}, { 'x-signature': 'x', 'x-token': 'x' }])
      expect(await status('/any', headers)).to.equal(401);
  });

  it('require both on a protected resource', async () => {
    const access = { 'x-access': await signJwt({ id: 1 }, OTHER_KEY) };
    const token = { 'x-token': ENV.OTHER };
    await expectAccepted('/both', { ...access, ...token });
    for (const headers of [access, token, {}]) expect(await status('/both', headers)).to.equal(401);
  });

  it('return the same error response each time, and log the reason', async () => {
    const from = kernel.log.length;
    const answers = [
      await send('/hmac', {}),
      await send('/hmac', { 'x-signature': 'half' }),
      await send('/hmac', { 'x-signature': '0'.repeat(64) }),
      await send('/token', { 'x-token': 'x' }),
      await send('/rsa', { 'x-rsa': 'x' }),
      await send('/jwt', { authorization: 'Bearer x' }),
      await send('/elsewhere', {}),
      await send('/any', {}),
      await send('/hmac', {}, '{ broken'),
    ];
    const seen = answers.map(({ status: code, body, headers }) => {
      const { instance, ...rest } = body;
      expect(instance).to.match(/^urn:request:/);
      return JSON.stringify([code, rest, headers.get('cache-control')]);
    });
    expect(new Set(seen).size).to.equal(1);
    expect(answers[0]?.body).to.include({
      code: 'WHK_REFUSED',
      status: 401,
      detail: 'The request could not be verified.',
    });
    const rows = kernel.log.slice(from).filter(({ message }) => message === 'webhook rejected');
    expect(rows.map(({ level, fields }) => [level, fields['reason']])).to.deep.equal(
      [
        'no header',
        'the signature has another form',
        'the signature does not fit',
        'another token',
        'the signature has another form',
        'not three parts',
        'another address',
        'no header; no header',
        'no header',
      ].map((reason) => ['debug', reason]),
    );
    for (const value of Object.values(ENV)) expect(JSON.stringify(kernel.log)).not.to.contain(value);
  });

  it('reject an unverified sender before the body is read, and never start the work', async () => {
    const request = formatRequestHead('POST', '/hmac', {
      'content-type': 'application/json',
      'content-length': 900_000,
    });
    expect(parseRaw(await kernel.raw(request)).status).to.equal(401);
    const late = formatRequestHead('POST', '/all', {
      'content-type': 'application/json',
      'content-length': 900_000,
      'x-signature': '0'.repeat(64),
    });
    expect(parseRaw(await kernel.raw(late)).status, 'a header is looked at before the body').to.equal(401);
    expect(await status('/hmac', { 'x-signature': signHmac(BODY, SECRET) }, 'x'.repeat(1_100_000))).to.equal(413);
  });

  it('parse verified bytes like any others', async () => {
    for (const [body, code] of [
      ['{ broken', 400],
      ['[1]', 422],
      ['{"__proto__":1}', 400],
    ] as const)
      expect(await status('/hmac', { 'x-signature': signHmac(body, SECRET) }, body), body).to.equal(code);
    const text = await kernel.post('/hmac', 'hello', {
      headers: { 'x-signature': signHmac('hello', SECRET), 'content-type': 'text/plain' },
    });
    expect(text.status).to.equal(415);
  });

  it('are shown in the table of endpoints', () => {
    const getGuardSummary = (id: string): string | undefined => kernel.kernel.plans().byId.get(id)?.summary.guard;
    expect(getGuardSummary('hmac')).to.equal('webhook: HmacSignatureVerifier');
    expect(getGuardSummary('any')).to.equal('webhook: ANY of HmacSignatureVerifier, HeaderTokenVerifier');
    expect(getGuardSummary('both'))
      .to.match(/webhook: HeaderTokenVerifier/)
      .and.match(/JWT in x-access/);
  });

  it('do not accept an access token, and guards no sender token', async () => {
    expect((await kernel.post('/both', {}, createBearerInit(await signJwt({}, SECRET, 'HS512')))).status).to.equal(401);
    expect(await status('/jwt', { authorization: `Bearer ${await signJwt({}, OTHER_KEY, 'HS512')}` })).to.equal(401);
  });
});
