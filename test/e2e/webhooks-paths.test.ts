/**
 * Deliveries that are replayed to another path: accepted with a signature of the body, rejected with one that covers
 * the path. A definition that reads its path and declares neither is rejected.
 */
import { expect } from 'chai';
import { InvalidDefinitionsError } from '../../language/project/invalid-definitions.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { RSA_PAIR, RSA_PUBLIC_PEM } from '../support/rsa.js';
import { signHmac, signRsa } from '../support/webhooks.js';

const SECRET = 'a secret of a webhook, long enough';
const ENV = { HOOK: SECRET, PEM: RSA_PUBLIC_PEM };
const HMAC = { sig_header: '$HEADER.x-signature', secret_key: '$ENV.HOOK' };
const RSA = { header_key: '$HEADER.x-rsa', public_key_pem: '$ENV.PEM' };
const hook = (id: string, verifications: object, value = '$PAYLOAD'): object =>
  defineReturnResource(id, { got: value }, { webhook: { verifications } });
const FILES = {
  'definitions/a.json': [
    hook('open/:name', { HmacSignatureVerifier: { ...HMAC, path: 'unsigned' } }),
    hook('signed/:name', { HmacSignatureVerifier: { ...HMAC, path: 'signed' } }),
    hook('sealed/:name', { PublicKeySignatureVerifier: { ...RSA, path: 'signed' } }),
    hook('unread/:name', { HmacSignatureVerifier: HMAC }, '$PAYLOAD.event'),
  ],
};
const BODY = '{ "event":"paid",  "n": 1.50 }';

describe('webhooks with path parameters', () => {
  let kernel: TestKernel;
  before(async () => {
    kernel = await startKernel({ files: FILES, env: ENV, config: { http: { methods: ['POST', 'GET'] } } });
  });
  after(() => kernel.close());

  const send = async (path: string, headers: Record<string, string>) => {
    const { status, body } = await kernel.post(path, BODY, { headers });
    return [status, status === 200 ? body['got'] : body['code']];
  };
  const createSignatureHeader = (path: string, body = BODY) => ({
    'x-signature': signHmac(`${path}\n${body}`, SECRET),
  });
  const got = (name: string) => [200, { event: 'paid', n: 1.5, name }];
  const REJECTED = [401, 'WHK_REFUSED'];

  it('accept a signature that covers the path for that path only', async () => {
    expect(await send('/signed/alice', createSignatureHeader('/signed/alice'))).to.deep.equal(got('alice'));
    for (const path of ['/signed/mallory', '/signed/alice?n=2', '/signed/al%69ce', '/signed/alice%20'])
      expect(await send(path, createSignatureHeader('/signed/alice')), path).to.deep.equal(REJECTED);
    for (const headers of [
      createSignatureHeader('signed/alice'),
      createSignatureHeader('/signed/alice', ''),
      createSignatureHeader('/signed/alice?n=2'),
      { 'x-signature': signHmac(BODY, SECRET) },
      // No path has a line feed, so nothing of one passes for a body.
      { 'x-signature': signHmac(`/signed/ali\nce${BODY}`, SECRET) },
    ])
      expect(await send('/signed/alice', headers)).to.deep.equal(REJECTED);
    const sealed = { 'x-rsa': signRsa(`/sealed/alice\n${BODY}`, RSA_PAIR.privateKey) };
    expect(await send('/sealed/alice', sealed)).to.deep.equal(got('alice'));
    expect(await send('/sealed/mallory', sealed)).to.deep.equal(REJECTED);
  });

  it('require it to cover the query string if that is the payload', async () => {
    const get = (path: string) =>
      kernel.request('GET', path, { headers: createSignatureHeader('/signed/ada?n=1', '') });
    expect((await get('/signed/ada?n=1')).body).to.deep.equal({ got: { n: '1', name: 'ada' } });
    for (const path of ['/signed/ada?n=2', '/signed/ada', '/signed/eve?n=1'])
      expect((await get(path)).status).to.equal(401);
  });

  it('without it require a declaration in the definition, or that the path is not read', async () => {
    const headers = { 'x-signature': signHmac(BODY, SECRET) };
    for (const name of ['alice', 'mallory']) {
      expect(await send(`/open/${name}`, headers)).to.deep.equal(got(name));
      expect(await send(`/unread/${name}`, headers)).to.deep.equal([200, 'paid']);
    }
    for (const verifications of [{ HmacSignatureVerifier: HMAC }, { PublicKeySignatureVerifier: RSA }]) {
      const files = { 'definitions/a.json': [hook('silent/:name', verifications)] };
      const failure = await startKernel({ files, env: ENV }).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(InvalidDefinitionsError);
      expect((failure as InvalidDefinitionsError).problems.map(({ code }) => code)).to.deep.equal(['WHK_PATH']);
    }
  });
});
