/**
 * A community application in the style of another system with the interface, unchanged in its profile: the requests of
 * its clients, in their order, and the responses. The database must parse each statement.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { MODELS, REQUESTS } from '../support/circles.js';
import { WORK, WORK_MODELS } from '../support/circles-work.js';
import { waitForValue, createQueueConfig } from '../support/jobs.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { connect } from '../support/sockets.js';
import { createBearerInit, KEY } from '../support/tokens.js';
import { startUpstream, type Upstream } from '../support/upstream.js';
import { signHmac } from '../support/webhooks.js';

const HOOK_KEY = 'Xq5Rt8Lm2Zc7Vb4Nk9Wp3Jh6Gf1Ds0Ay';
const ENV = {
  JWT_SECRET_KEY: KEY,
  SALT: 'Pq7Ls2Mv9Bx4Nz6Kc1Rt8Wd3Hf5Jg0Ye',
  PARTNER_KEY: 'Wc5Ev8Rb2Tn6Ym1Ul9Ik4Oj7Ph3Ag0Sf',
  HOOK_KEY,
  HOOK_ADDRESSES: '127.0.0.1|::1',
  FIELD_KEY: 'Hy6Bn3Vc8Xz1Lk5Jh9Gf2Ds7Aq4Wp0Er',
};
const ADA = { email: 'ada@example.com', handle: 'ada', password: 'a long password', tags: ['tea', 'sea'] };
const GRACE = { email: 'grace@example.com', handle: 'grace', password: 'another password', tags: ['code'] };

describe('definitions of a community project', () => {
  let kernel!: TestKernel;
  let partner!: Upstream;
  let [ada, grace, circle] = [{} as Loose, {} as Loose, {} as Loose];

  before(async function () {
    partner = await startUpstream((_req, res) => {
      const body = JSON.stringify({ access: { kind: 'full', secret: 'x' }, member: 'm', more: 1 });
      res.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    kernel = await startKernel({
      files: { ...MODELS, ...WORK_MODELS, ...REQUESTS, ...WORK },
      config: {
        profile: 'sub0',
        on_problem: 'refuse',
        websocket: { enabled: true },
        connections: { main: { use: 'pglite', path: 'memory://' } },
        queue: { ...createQueueConfig('pglite'), poll: 0.1 },
        outbound: { allow: [`127.0.0.1:${partner.port}`] },
      },
      env: { ...ENV, PARTNER: partner.url },
    });
  });
  after(async () => {
    await kernel?.close();
    await partner?.close();
  });

  const as = (who: Loose): RequestInit => createBearerInit(String(who['session']));
  /** The member `data` of a success. */
  async function data<T = Loose>(path: string, body: unknown = {}, init?: RequestInit): Promise<T> {
    const answer = await kernel.post(path, body, init);
    expect(answer.status, `${path} ${answer.text}`).to.equal(200);
    expect(answer.body).to.have.all.keys('success', 'message', 'data');
    return answer.body['data'] as T;
  }
  async function expectRejected(path: string, status: number, body: unknown = {}, init?: RequestInit): Promise<Loose> {
    const answer = await kernel.post(path, body, init);
    expect(answer.status, `${path} ${answer.text}`).to.equal(status);
    expect(answer.body).to.include({ success: false, status });
    return answer.body;
  }

  it('sign up and in: a long cast, a literal number, a list as JSON, two unique names', async () => {
    ada = await data('/sign-up', ADA);
    expect(ada).to.have.all.keys('id', 'handle', 'karma', 'session');
    expect(ada).to.include({ handle: 'ada', karma: 0 });
    grace = await data('/sign-up-01', GRACE);
    expect(await expectRejected('/sign-up', 409, { ...ADA, handle: 'other' })).to.include({ code: 'QRY_UNIQUE' });
    expect(await expectRejected('/sign-up', 409, { ...ADA, email: 'other@example.com' })).to.include({
      code: 'QRY_UNIQUE',
    });
    await expectRejected('/sign-up', 422, { ...GRACE, tags: ['x'.repeat(21)] });
    const { id, session } = await data('/sign-in', { ...ADA, email: 'ADA@example.com' });
    expect(id).to.equal(ada['id']);
    ada = { ...ada, session };
    await expectRejected('/sign-in', 401, { ...ADA, password: 'not that password' });
  });

  it('run several actionables that depend on one INSERT after them, with literals among their parameters', async () => {
    await expectRejected('/circle/create', 401, { name: 'Tea' });
    const settings = { theme: { color: 'green' }, draft: 1, public: true };
    circle = await data('/circle/create', { name: 'Tea', settings, is_open: true }, as(ada));
    expect(circle).to.include({ name: 'Tea', owner_id: ada['id'], member_count: 1, is_open: true });
    expect(circle['settings']).to.deep.equal(settings);
    expect(circle['created_at']).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const [{ joined, notes } = {}] = [await data('/circle/numbers', { circle_id: circle['id'] })].map((row) => ({
      joined: row['joins'],
      notes: row['feed'],
    }));
    expect([joined, notes]).to.deep.equal([0, [{ text: 'joined the circle', kind: 'new' }]]);
    // All or nothing: without a name of the circle there is no membership either.
    await expectRejected('/circle/create', 422, { settings, is_open: true }, as(ada));
  });

  it('write three tables in one statement and read them; the second time it finds nothing to do', async () => {
    const body = { circle_id: circle['id'] };
    const joined = await data('/circle/join', body, as(grace));
    expect(joined).to.include({ member_count: 2, noted: 1 });
    expect(joined['id']).to.match(/^[0-9a-f-]{36}$/);
    expect(await data('/circle/join', body, as(grace))).to.equal(null);
  });

  it('support FILTER, jsonb_agg, #>>, @>, casts of two words, comments with quotes', async () => {
    expect(await data('/circle/numbers', { circle_id: circle['id'] })).to.deep.equal({
      id: circle['id'],
      name: 'Tea',
      joins: 1,
      pinned: 1,
      weight: 1.5,
      feed: [
        { text: 'joined the circle', kind: 'new' },
        { text: 'grace joined', kind: 'join' },
      ],
      kinds: 'join, new',
      list: ['new', 'join'],
      color: 'green',
      public: true,
      average: '1.50',
    });
  });

  it('treat ?, ?| and ?& as operators, and read values of a client as data in jsonb_set', async () => {
    const body = { circle_id: circle['id'], name: 'color', value: "red' ? $1", more: { n: [1] }, any_of: ['zzz'] };
    const settings = { theme: { color: "red' ? $1" }, public: true, n: [1] };
    const row = await data('/circle/settings', body);
    expect(row['settings']).to.deep.equal(settings);
    expect(JSON.parse(String(row['written']))).to.deep.equal(settings);
    expect(row['chosen']).to.equal("red' ? $1");
    const closed = await data('/circle/settings', { ...body, more: { locked: true, closed: true } });
    expect(closed['settings']).to.include({ locked: true });
    expect(await data('/circle/settings', body)).to.equal(null);
  });

  it('return rows, one row and none: a list of texts as a parameter, and absent parameters', async () => {
    const row = { handle: 'ada', tags: ['tea', 'sea'], many: 2, city: '', place: 1 };
    expect(await data('/people', { tags: ['sea', 'zzz'] })).to.deep.equal(row);
    expect(await data<Loose[]>('/people')).to.have.length(2);
    expect(await data('/people', { like: 'GRA' })).to.include({ handle: 'grace', place: 1 });
    expect(await data('/people', { limit: 1, offset: 1 })).to.include({ handle: 'grace', place: 2 });
    expect(await data('/people', { tags: [] })).to.equal(null);
  });

  it('may contain a resource in a file with a leading underscore: its content decides', async () => {
    const changed = await data('/profile/update', { profile: { city: 'Turin', links: { a: 'b' } } }, as(ada));
    expect(changed).to.deep.include({ handle: 'ada', profile: { city: 'Turin', links: { a: 'b' } } });
    expect(changed['at']).to.match(/^\d{4}-\d\d-\d\d [\d:.]+\+00$/);
    // Both are absent: nothing is merged, NULL is nothing to merge.
    expect(await expectRejected('/profile/update', 422, {}, as(ada))).to.include({ code: 'QRY_NOT_NULL' });
  });

  it('move rows from table to table in one statement', async () => {
    const moved = await data('/circle/archive', { circle_id: circle['id'], kinds: ['new', 'other'] });
    expect(moved).to.include({ text: 'joined the circle' });
    expect(await data('/circle/archive', { circle_id: circle['id'], kinds: ['new'] })).to.equal(null);
    expect(await data('/circle/archive', { circle_id: circle['id'], kinds: [] })).to.equal(null);
  });

  it('run a recursive query with zones, intervals, epochs and every kind of quote', async () => {
    const rows = await data<Loose[]>('/report/days', { from: '2026-01-02T10:00:00Z', to: '2026-01-04T00:00:00Z' });
    const said = " it's $1 ";
    expect(rows).to.deep.equal([
      { day: '2026-01-04', epoch: 1767520800, sort: 'weekend', said },
      { day: '2026-01-03', epoch: 1767434400, sort: 'weekend', said },
      { day: '2026-01-02', epoch: 1767348000, sort: "week's day", said },
    ]);
  });

  it('bind literals of every type with their type', async () => {
    expect(await data('/report/values', { days: 3 })).to.deep.equal({
      sum: 3,
      yes: true,
      nothing: null,
      half: 0.5,
      word: 'two words',
      plain: 'a/b',
      inside: 'x',
      list: ['p', 'q'],
      span: '3 days',
      money: 12.35,
    });
  });

  it('upload, then insert a row for each file; values are passed by their names', async () => {
    const form = new FormData();
    form.set('circle_id', String(circle['id']));
    form.append('file', new Blob(['first'], { type: 'text/plain' }), 'a.txt');
    form.append('other', new Blob(['second one'], { type: 'text/plain' }), '../../b.txt');
    const answer = await fetch(`${kernel.url}/photos`, { method: 'POST', body: form, ...as(ada) });
    const { data: rows } = (await answer.json()) as { data: Loose[] };
    expect(answer.status).to.equal(200);
    expect(rows.map(({ file_size }) => file_size)).to.deep.equal([5, 10]);
    for (const row of rows) {
      expect(row).to.have.all.keys('storage_key', 'file_size', 'circle_id');
      expect(row['storage_key']).to.match(new RegExp(`^circles/${String(ada['id'])}/`));
      expect(row['circle_id']).to.equal(circle['id']);
    }
  });

  it('add to a balance through a read that is written last, and lose no update', async () => {
    const rows = [
      { id: 'a', amount: 100 },
      { id: 'b', amount: 0 },
    ];
    expect(await data('/balance/open', { rows })).to.deep.equal([
      { id: 'a', status: 'new' },
      { id: 'b', status: 'new' },
    ]);
    expect(await data('/balance/open', { rows: [rows[0]] })).to.deep.equal({ id: 'a', status: 'again' });
    const added = await data('/balance/add', { id: 'a', add_bal: 5 });
    expect(added).to.deep.equal({ amount: 105, status: 'FULFILLED' });
    await Promise.all([1, 2, 3, 4, 5].map((add_bal) => data('/balance/add', { id: 'a', add_bal })));
    expect(await data('/balance/add', { id: 'a', add_bal: 0 })).to.include({ amount: 120 });
    expect(await expectRejected('/balance/add', 404, { id: 'nobody', add_bal: 1 })).to.include({
      message: 'Operation Failed: this action must return a value!',
    });
  });

  it('accept a webhook, process it after the response, and call another service with the changed values', async () => {
    const event = JSON.stringify({ type: 'paid', data: { object: { id: 'b', amount: 7 } } });
    const send = (key: string) =>
      kernel.request('POST', '/hooks/paid', {
        headers: { 'content-type': 'application/json', 'x-signature': signHmac(event, key), 'x-event': 'e1' },
        body: event,
      });
    expect((await send('another key')).status).to.equal(401);
    const answer = await send(HOOK_KEY);
    expect([answer.status, answer.body]).to.deep.include(202);
    expect(answer.body['data']).to.include({ accepted: true });
    const [asked] = await waitForValue(
      () => partner.requests.filter(({ url }) => url === '/receipts'),
      ({ length }) => length > 0,
    );
    expect(JSON.parse(asked?.body ?? '')).to.deep.equal({ for: 'b', event: 'e1', now: 7 });
    expect(asked?.headers).to.include({ authorization: `Bearer ${ENV.PARTNER_KEY}` });
  });

  it('accept a queued call and run it once, with the claims of its caller', async () => {
    const answer = await kernel.post('/invite', { email: 'new@example.com' }, as(ada));
    expect([answer.status, answer.body['success']]).to.deep.equal([202, true]);
    const asked = await waitForValue(
      () => partner.requests.filter(({ url }) => url === '/mail'),
      ({ length }) => length > 0,
    );
    expect(asked.map(({ body }) => JSON.parse(body) as Loose)[0]).to.include({ to: 'new@example.com', from: 'ada' });
  });

  it('store a state for a callback, which consumes it; a schedule removes old ones', async () => {
    const { token } = await data('/connect/start', { at: new Date().toISOString() }, as(ada));
    const back = await data('/connect/callback', { state: token, code: 'c-1' });
    expect(back).to.deep.equal({ access: { kind: 'full' }, member: 'm' });
    expect(JSON.parse(partner.requests.at(-1)?.body ?? '')).to.deep.equal({ code: 'c-1', member: ada['id'] });
    await expectRejected('/connect/callback', 404, { state: token, code: 'c-1' });
    await data('/connect/start', { at: '2020-01-01T00:00:00Z' }, as(ada));
    await waitForValue(
      () => data('/states'),
      ({ open }) => open === 0,
    );
    await expectRejected('/sweep', 404);
  });

  it('send a message over connections to all clients, to one, and to several', async () => {
    const enter = (who: Loose, protocols: string[]) =>
      connect(kernel.url, { query: `?uid=${String(who['id'])}`, protocols });
    const [speaker, listener] = [
      await enter(ada, ['Authorization', String(ada['session'])]),
      await enter(grace, ['Authorization', String(grace['session'])]),
    ];
    // Without a token the declared uid is the address, which clients of the other system rely on.
    const outsider = await enter(grace, []);
    try {
      const said = await speaker.sendRequest('say', { text: 'hello', circle_id: circle['id'] });
      expect(said.data).to.include({ kind: 'said', text: 'hello' });
      for (const one of [speaker, listener, outsider]) {
        expect((await one.next(({ action }) => action === 'said')).data).to.deep.equal(said.data);
      }
      await data('/whisper', { text: 'psst', to: grace['id'] }, as(ada));
      expect((await listener.next()).data).to.deep.equal({ text: 'psst', handle: 'ada' });
      await data('/tell', { circle_id: circle['id'], uids: [grace['id'], 'nobody'] });
      expect(await listener.next()).to.deep.include({ action: 'told', data: { kind: 'told', text: 'hear, hear' } });
      for (const action of ['whispered', 'told']) expect((await outsider.next()).action).to.equal(action);
      for (const one of [speaker, outsider]) expect(one.frames).to.deep.equal([]);
    } finally {
      for (const one of [speaker, listener, outsider]) await one.close();
    }
  });

  it('encrypt a field for its table and decrypt it for its owner', async () => {
    await data('/phone/set', { phone: '+39 011 5550100' }, as(grace));
    expect(await data('/phone/get', {}, as(grace))).to.deep.equal({ phone: '+39 011 5550100' });
    expect(await data('/phone/get', {}, as(ada))).to.deep.equal({ phone: null });
  });

  it('cache a response until the key of its definition is removed', async () => {
    const first = await data('/top', { lang: 'en' });
    expect(first).to.deep.equal({ name: 'Tea', member_count: 2 });
    await data('/circle/rename', { circle_id: circle['id'], name: 'Coffee', lang: 'it' });
    expect(await data('/top', { lang: 'en' })).to.deep.equal(first);
    await data('/circle/rename', { circle_id: circle['id'], name: 'Coffee', lang: 'en' });
    expect(await data('/top', { lang: 'en' })).to.include({ name: 'Coffee' });
  });

  it('merge results of parallel actionables with values of another resource', async () => {
    const row = await data('/overview', { circle_id: circle['id'] });
    expect(row).to.include({ circles: 1, members: 2, first: 'grace joined' });
    expect(row['numbers']).to.include({ name: 'Coffee', joins: 1 });
  });

  it('revoke tokens in a resource without actionables, and do not serve one without any work', async () => {
    await data('/sign-out', { tokens: [grace['session']] }, as(ada));
    await expectRejected('/phone/get', 401, {}, as(grace));
    await expectRejected('/nothing', 404);
  });

  it('keep the row after a soft deletion, whose owner cannot sign in', async () => {
    await data('/leave', {}, as(ada));
    await expectRejected('/sign-in', 401, ADA);
    expect(await data('/overview', { circle_id: circle['id'] })).to.include({ members: 1 });
  });
});
