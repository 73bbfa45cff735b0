/**
 * The interface on documents, sentence by sentence: the same definitions, requests and responses on both document
 * stores. One row is one sentence and one request; rows run in their order on one kernel.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { createDatabase, STORES, type Database } from '../support/databases.js';
import { LIBRARY } from '../support/interface-documents.js';
import { toIdRows, HEX, ISO, ROWS, ULID } from '../support/interface-documents-rows.js';
import { waitForValue } from '../support/jobs.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createFormData, PNG_RED } from '../support/pictures.js';
import { connect } from '../support/sockets.js';
import { createBearerInit, KEY } from '../support/tokens.js';
import { startUpstream, type Upstream } from '../support/upstream.js';
import { signHmac } from '../support/webhooks.js';
import { skipTest } from '../support/skip.js';

const ENV = {
  JWT_SECRET_KEY: KEY,
  FIELD_KEY: 'Hy6Bn3Vc8Xz1Lk5Jh9Gf2Ds7Aq4Wp0Er',
  HOOK_KEY: 'Xq5Rt8Lm2Zc7Vb4Nk9Wp3Jh6Gf1Ds0Ay',
};

/** Texts against patterns, everything else exactly. */
function compare(actual: unknown, right: unknown, where: string): void {
  if (right instanceof RegExp) expect(actual, where).to.be.a('string').and.match(right);
  else if (Array.isArray(right)) {
    expect(actual, where).to.be.an('array').with.length(right.length);
    right.forEach((one, i) => compare((actual as unknown[])[i], one, `${where}/${i}`));
  } else if (typeof right === 'object' && right !== null) {
    expect(actual, where).to.be.an('object').with.all.keys(Object.keys(right));
    for (const [key, inner] of Object.entries(right)) compare((actual as Loose)[key], inner, `${where}/${key}`);
  } else expect(actual, where).to.equal(right);
}

/** The members of a problem document in a row. */
const toProblemRow = (body: Loose): Loose => ({
  ...body,
  pointer: (body['errors'] as Loose[] | undefined)?.[0]?.['pointer'],
});

for (const store of STORES) {
  describe(`the interface: documents (${store.name})`, () => describeDocuments(store));
}

function describeDocuments(store: Database): void {
  let kernel!: TestKernel;
  let upstream!: Upstream;
  before(async function () {
    const found = await createDatabase(store);
    if ('skip' in found) return skipTest(this, found.skip);
    upstream = await startUpstream((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
    kernel = await startKernel({
      files: { 'definitions/library.json': LIBRARY },
      config: { ...found.config, outbound: { allow: [`127.0.0.1:${upstream.port}`] }, websocket: { enabled: true } },
      env: { ...found.env, ...ENV, REMOTE: upstream.url },
    });
  });
  after(async () => {
    await kernel?.close();
    await upstream?.close();
  });

  const post = (path: string, body: unknown = {}, init: RequestInit = {}) =>
    kernel.post(`/lib/${path}`, body, { ...init, headers: { 'x-kind': 'test', ...(init.headers as object) } });

  for (const [rule, path, body, status, gives] of ROWS) {
    it(`${rule} (${path})`, async () => {
      const answer = await post(path, body);
      expect(answer.status, answer.text).to.equal(status);
      if (gives === undefined) return;
      if (status === 200) compare(answer.body, gives, path);
      else
        for (const [key, one] of Object.entries(gives as Loose))
          expect(toProblemRow(answer.body)[key], key).to.equal(one);
    });
  }

  /** Exactly one value of a row, where a row cannot contain it. */
  const postOk = async (path: string, body: unknown = {}, init?: RequestInit): Promise<unknown> => {
    const answer = await post(path, body, init);
    expect(answer.status, `${path}: ${answer.text}`).to.equal(200);
    return answer.body;
  };
  const signIn = async (): Promise<RequestInit> => {
    const { token } = (await postOk('sign-in', { email: 'ada@example.com', password: 'correct horse' })) as Loose;
    return createBearerInit(String(token));
  };
  const listRequestBodies = (path: string): unknown[] =>
    upstream.requests.filter(({ url }) => url === path).map(({ body }) => JSON.parse(body) as unknown);

  it('supports `sort`, `skip` and `limit`', async () => {
    expect(await postOk('page', { skip: 2 })).to.deep.equal(toIdRows('b2', 'b3'));
    expect(await postOk('page', { skip: 900 })).to.deep.equal([]);
    expect((await post('page', { skip: -1 })).status).to.equal(422);
    expect((await post('page', { skip: { $gt: 1 } })).status).to.equal(422);
  });

  it('claims: a protected read, and a chain of a read and a change that loses nothing', async () => {
    const own = await signIn();
    compare(
      await postOk('me', { id: 'r2' }, own),
      { _id: HEX, id: ULID, email: 'ada@example.com', balance: 0, created_at: ISO, updated_at: ISO },
      'me',
    );
    expect(await postOk('top-up', { amount: 2.5 }, own)).to.deep.equal({ balance: 2.5 });
    expect(await postOk('top-up', { amount: 0.5, add_bal: 900 }, own)).to.deep.equal({ balance: 3 });
    expect((await post('top-up', { amount: '5' }, own)).status).to.equal(422);
  });

  it('ciphers: values are stored encrypted, and decrypted again', async () => {
    const own = await signIn();
    const { card } = (await postOk('card-set', { card: '4111 1111' }, own)) as Loose;
    expect(card).to.be.a('string').and.not.contain('4111 1111');
    expect(await postOk('card-get', {}, own)).to.deep.equal({ card: '4111 1111' });
  });

  it('pattern 5: an upload, then an insert with `multi`', async () => {
    const part = (file: string) => ({ name: 'file', content: PNG_RED, file, type: 'image/png' });
    const answer = await kernel.request('POST', '/lib/covers', {
      body: createFormData([part('a.png'), part('b.png')]),
    });
    expect(answer.status, answer.text).to.equal(200);
    const key = /^covers\/[A-Za-z0-9._-]+\.png$/;
    compare(
      answer.body,
      [1, 2].map(() => ({ storage_key: key, file_size: PNG_RED.length })),
      'covers',
    );
  });

  it('pattern 6: a state is used once, then the token endpoint is called', async () => {
    const { state } = (await postOk('state-make', {}, await signIn())) as Loose;
    expect((await post('state-use', { state: { $ne: null }, code: 'c' })).status).to.equal(404);
    expect(await postOk('state-use', { state, code: 'c' })).to.deep.equal({ ok: true });
    expect((await post('state-use', { state, code: 'c' })).status).to.equal(404);
    expect(listRequestBodies('/token')).to.have.length(1);
    compare(listRequestBodies('/token')[0], { code: 'c', of: ULID }, 'token');
  });

  it('pattern 7: a queued call, and work after the response', async () => {
    expect(await postOk('call-later', { id: 'b2' })).to.deep.equal({ id: 'b2' });
    expect((await post('add-later', { id: 'q1', title: 'queued' })).status).to.equal(202);
    expect((await post('add-behind', { id: 'q2', title: 'behind' })).status).to.equal(202);
    await waitForValue(
      () => listRequestBodies('/later'),
      ({ length }) => length === 1,
    );
    expect(listRequestBodies('/later')).to.deep.equal([{ title: 'The Lake' }]);
    for (const id of ['q1', 'q2'])
      await waitForValue(
        () => postOk('get', { id }),
        (book) => book !== null,
      );
  });

  it('a webhook: verified, accepted, then written with the whole payload', async () => {
    const body = JSON.stringify({ id: 'p1', amount: 5 });
    expect((await post('paid', body)).status).to.equal(401);
    const valid = { headers: { 'x-signature': signHmac(body, ENV.HOOK_KEY) } };
    expect((await post('paid', body, valid)).status).to.equal(202);
    const rows = await waitForValue(
      () => postOk('payments'),
      (all) => (all as unknown[]).length > 0,
    );
    expect(rows).to.deep.equal([{ id: 'p1', kind: 'test', all: { amount: 5 } }]);
  });

  it('a broadcast contains the result of the actionable', async () => {
    const client = await connect(kernel.url);
    const coming = client.next(({ action }) => action === 'returned');
    expect(await postOk('announce', { id: 'b1' })).to.deep.equal({ id: 'b1', lent: false });
    expect((await coming).data).to.deep.equal({ id: 'b1', lent: false });
    await client.close();
  });

  it('pattern 8: fulfilled documents are removed automatically', async () => {
    await postOk('finish', { id: 'b3' });
    await waitForValue(
      () => postOk('get', { id: 'b3' }),
      (book) => book === null,
    );
    expect(await postOk('get-one', { id: 'b2' })).not.to.equal(null);
  });
}
