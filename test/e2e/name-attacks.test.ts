/**
 * Definitions that try to read a value without a source: claims that no token of the set has, paths to nothing inside a
 * result, accessors in small letters, bare names in place of values. Each is an error at load, or ends the request
 * before anything is written.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createFormData, PNG_RED } from '../support/pictures.js';
import { createBearerInit, signJwt, KEY, OTHER_KEY } from '../support/tokens.js';
import { createJsonBehaviour, startUpstream, type Upstream } from '../support/upstream.js';
import {
  createAttackFiles,
  OPEN_CLAIMS,
  UNRESOLVED,
  createOptionalClaimCases,
  WRONG,
} from '../support/name-attacks.js';

describe('values without a source', () => {
  let upstream!: Upstream;
  let kernel!: TestKernel;
  let calls = 0;

  before(async () => {
    upstream = await startUpstream((req, res, asked) => {
      calls++;
      return createJsonBehaviour({ ok: true })(req, res, asked);
    });
    kernel = await startKernel({
      files: createAttackFiles(upstream.url),
      config: {
        connections: { main: { use: 'pglite', path: 'memory://' } },
        outbound: { allow: ['127.0.0.1'] },
        queue: { use: 'embedded' },
      },
      env: { KEY, OTHER: OTHER_KEY },
      onProblem: 'skip',
    });
  });
  after(async () => {
    await (kernel as TestKernel | undefined)?.close();
    await upstream.close();
  });

  const errorsIn = (name: string): readonly string[] =>
    kernel.kernel
      .problems()
      .filter(({ file, severity }) => severity === 'error' && file === `definitions/${name}.json`)
      .map(({ code }) => code);
  const notes = async (): Promise<number> => (await kernel.post<readonly Loose[]>('/notes')).body.length;

  for (const [i, [title, [code]]] of Object.entries(WRONG).entries()) {
    it(`are an error at load: ${title}`, async () => {
      expect(errorsIn(`wrong${i}`)).to.include(code);
      expect((await kernel.post(`/wrong${i}`, { a: 'x' })).status).to.equal(503);
    });
  }

  for (const [i, title] of Object.keys(UNRESOLVED).entries()) {
    it(`end the request: ${title}`, async () => {
      const before = await notes();
      const { status, text } = await kernel.post(`/open${i}`, {});
      expect(status, text).to.equal(422);
      expect(await notes()).to.equal(before);
    });
  }

  for (const [i, [title, rest]] of Object.entries(createOptionalClaimCases('')).entries()) {
    it(`end the request before its work: a claim that the token lacks, ${title}`, async () => {
      const [before, called] = [await notes(), calls];
      const file = { name: 'file', content: PNG_RED, file: 'red.png', type: 'image/png' };
      const isUpload = rest.some(({ mode }) => mode === 'UPLOAD');
      const body = isUpload ? createFormData([file, { name: 'body', content: 'b' }]) : { body: 'b' };
      const init = createBearerInit(await signJwt({ id: 1 }));
      const {
        status,
        body: answer,
        text,
      } = isUpload
        ? await kernel.request('POST', `/late${i}`, { ...init, body: body as FormData })
        : await kernel.post(`/late${i}`, body, init);
      expect([status, answer['code']], text).to.deep.equal([403, 'ACC_CLAIM']);
      expect([await notes(), calls]).to.deep.equal([before, called]);
    });
  }

  it('are not read if one of several tokens lacks them, or tokens have another issuer', async () => {
    const hints = kernel.kernel.problems().filter(({ code }) => code === 'LNK_CLAIM_SOMETIMES');
    expect(hints.map(({ severity }) => severity))
      .to.include('hint')
      .and.not.include('error');
    const token = await signJwt({ scope: 'all', iss: 'https://login.example/' });
    expect((await kernel.post('/elsewhere', {}, createBearerInit(token))).body).to.deep.equal({ scope: 'all' });
    const issued = await kernel.post('/sign-in', {});
    const { body } = await kernel.post('/standard', {}, createBearerInit(String(issued.body['token'])));
    expect(body['by']).to.equal('sign-in');
  });

  it('are not confused with a generated value: a header is read before the work', async () => {
    const called = calls;
    const { status, body } = await kernel.post('/notified', {}, createBearerInit(await signJwt({ id: 1 })));
    expect([status, body['code'], calls - called]).to.deep.equal([422, 'ACC_UNRESOLVED', 0]);
  });

  for (const [i, text] of OPEN_CLAIMS.entries()) {
    it(`are not secrets for the name of another column: ${text}`, async () => {
      if (i === 0) {
        await kernel.post('/seal', { id: 1, email: 'sealed@example.com', contact: 'ada@example.com' });
        await kernel.post('/hire', { id: 1, email: 'ada@example.com' });
      }
      const { status, body, text: answer } = await kernel.post(`/claim${i}`, {});
      expect(status, answer).to.equal(200);
      const [, claims = ''] = String(body['token']).split('.');
      expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).to.include({ email: 'ada@example.com' });
    });
  }
});
