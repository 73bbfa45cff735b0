/** Webhooks that prevent the start: a missing or invalid setting never opens them to everyone. */
import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import type { Json } from '../../contract/json.js';
import { startKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { RSA_PAIR, RSA_PUBLIC_PEM } from '../support/rsa.js';

const ENV = {
  HOOK: 'whsec-9dKq27LmZt4xVb8RfJ3nWc6yTh',
  OTHER: 'whsec-Pw6Yc3Hn1Qs5Ja0',
  PEM: RSA_PUBLIC_PEM,
  HERE: '::1 | 127.0.0.1,',
};

const HMAC = { sig_header: '$HEADER.x-signature', secret_key: '$ENV.HOOK' };
const TOKEN = { header_key: '$HEADER.X-Token', secret_key: '$ENV.OTHER' };
const RSA = { header_key: '$HEADER.x-rsa', public_key_pem: '$ENV.PEM' };
const JWT = { header_key: '$HEADER.authorization', secret_key: '$ENV.HOOK', algorithm: 'HS512' };

const hook = (id: string, verifications: Json): object => ({
  ...defineReturnResource(id, 1),
  webhook: { verifications },
});

describe('webhooks that would verify nothing', () => {
  const start = async (verifications: Json, env: Record<string, string> = {}): Promise<string> => {
    try {
      const files = { 'definitions/a.json': hook('a', verifications) };
      const kernel = await startKernel({ files, env: { ...ENV, ...env }, onProblem: 'refuse' });
      await kernel.close();
      return 'started';
    } catch (error) {
      const { problems, code } = error as { problems?: readonly { code: string }[]; code: string };
      return problems?.map((problem) => problem.code).join(' ') ?? code;
    }
  };

  it('18: prevent the start', async () => {
    expect(await start({ HmacSignatureVerifier: HMAC })).to.equal('started');
    const broken: readonly (readonly [string, Json, Record<string, string>?])[] = [
      ['WHK_NONE', {}],
      ['WHK_NONE', { composition_strategy_mode: 'ANY' }],
      ['DEF_UNKNOWN_KEY', { HmacVerifier: HMAC }],
      ['DEF_UNKNOWN_KEY', { HmacVerifier: HMAC, HeaderTokenVerifier: TOKEN }],
      ['DEF_UNKNOWN_PLUGIN', { composition_strategy_mode: 'SOME', HmacSignatureVerifier: HMAC }],
      ['DEF_UNKNOWN_PLUGIN', { composition_strategy_mode: 'any', HmacSignatureVerifier: HMAC }],
      ['DEF_TYPE', { HmacSignatureVerifier: true }],
      ['DEF_REQUIRED', { HmacSignatureVerifier: { sig_header: HMAC.sig_header } }],
      ['ENV_MISSING', { HmacSignatureVerifier: { ...HMAC, secret_key: '$ENV.NOT_THERE' } }],
      [
        'ENV_MISSING',
        {
          composition_strategy_mode: 'ANY',
          HmacSignatureVerifier: HMAC,
          HeaderTokenVerifier: { ...TOKEN, secret_key: '$ENV.NOT_THERE' },
        },
      ],
      ['ENV_MISSING', { HmacSignatureVerifier: HMAC }, { HOOK: '' }],
      ['ENV_BLANK', { HmacSignatureVerifier: HMAC }, { HOOK: ' \t' }],
      ['WHK_SETTING', { HmacSignatureVerifier: HMAC }, { HOOK: 'changeme' }],
      ['WHK_SETTING', { HeaderTokenVerifier: TOKEN }, { OTHER: 'your-256-bit-secret' }],
      ['WHK_SETTING', { IpAllowListVerifier: { allowed_ips: '$ENV.HERE' } }, { HERE: ' , | ' }],
      ['WHK_SETTING', { IpAllowListVerifier: { allowed_ips: '$ENV.HERE' } }, { HERE: '10.0.0.1, somewhere' }],
      ['WHK_SETTING', { IpAllowListVerifier: { allowed_ips: '$ENV.HERE' } }, { HERE: '10.0.0.1/33' }],
    ];
    for (const [code, verifications, env] of broken)
      expect(await start(verifications, env), JSON.stringify([verifications, env])).to.equal(code);
  });

  it('prevent the start with keys that are not RSA keys of enough bits', async () => {
    const pem = (key: { export(options: { type: 'spki'; format: 'pem' }): string | Buffer }): string =>
      key.export({ type: 'spki', format: 'pem' }).toString();
    const small = pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey);
    const curve = pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
    const secret = RSA_PAIR.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(await start({ PublicKeySignatureVerifier: RSA })).to.equal('started');
    for (const PEM of [
      small,
      curve,
      secret,
      'sender.pem',
      '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
    ])
      expect(await start({ PublicKeySignatureVerifier: RSA }, { PEM }), PEM.slice(0, 40)).to.equal('WHK_SETTING');
  });

  it('10: prevent the start with a secret that also signs access tokens, in any file', async () => {
    const tokens = {
      ...defineReturnResource('me', 1),
      tokenize: { type: 'JWT', encryption_key: '$ENV.HOOK' },
      protected: {},
    };
    const files = { 'definitions/a.json': hook('a', { JwtVerifier: JWT }), 'definitions/b.json': tokens };
    const failure = await startKernel({ files, env: ENV, onProblem: 'refuse' }).then(
      (kernel) => kernel.close(),
      (error: unknown) => error as { problems: readonly { code: string; message: string; file: string }[] },
    );
    const [problem, ...others] = failure?.problems ?? [];
    expect(others).to.deep.equal([]);
    expect(problem?.code).to.equal('SEC_SHARED');
    expect(problem?.message).to.contain('"HOOK"');
  });
});
