/**
 * Calls of that application's client and their expected responses, in the order of use: the same calls for any server.
 * Registers tests; starts nothing.
 */
import { expect } from 'chai';
import type { Answer, Client, Loose } from './client.js';
import { connect } from './sockets.js';
import { ADMIN, ENV, REPLY } from './soforotto.js';
import type { Upstream } from './upstream.js';

const NOTE = ['id', 'services', 'message', 'reactions', 'created_at'];
const LISTED = ['id', 'name', 'email', 'services', 'message', 'status', 'wall_status', 'created_at'];
/** The request of the form. */
const FORM = { services: ['listening', 'advice'], message: 'Nobody calls me any more.', wall_status: 'pending' };

const expectRows = (data: unknown): Loose[] => {
  expect(data).to.be.an('array');
  return data as Loose[];
};

/** One whole visit: every resource. `address`: where clients connect. */
export function describeCalls(client: () => Client, address: () => string, remote: () => Upstream): void {
  let token = '';
  let submitted = '';
  const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Answer<Loose>> =>
    client().post(path, body, { headers });
  /** The member `data` of a success. */
  const postForData = async (path: string, body: object, headers: Record<string, string> = {}): Promise<unknown> => {
    const answer = await post(path, body, headers);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(answer.body).to.have.all.keys('success', 'message', 'data');
    expect(answer.body).to.include({ success: true });
    expect(answer.body['message']).to.be.a('string');
    return answer.body['data'];
  };
  const expectRejected = async (
    status: number,
    code: string,
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<string[]> => {
    const answer = await post(path, body, headers);
    expect(answer.status, answer.text).to.equal(status);
    expect(answer.body).to.include({ code, success: false, message: answer.body['detail'] });
    expect(answer.body).not.to.have.property('data');
    return ((answer.body['errors'] ?? []) as Loose[]).map(({ pointer }) => String(pointer));
  };
  const createAdminHeaders = (): Record<string, string> => ({ 'x-access-token': token });

  it('wall-list: returns approved notes, latest first, JSON and times as the text of PostgreSQL', async () => {
    const rows = expectRows(await postForData('/wall-list', {}));
    expect(rows.map(({ id }) => id)).to.deep.equal(['note-6', 'note-4', 'note-2']);
    for (const row of rows) expect(Object.keys(row)).to.deep.equal(NOTE);
    expect(rows[0]).to.deep.equal({
      id: 'note-6',
      services: '["listening"]',
      message: 'I feel number 6 and lonely',
      reactions: '{"same": 0, "strength": 0, "not_alone": 2}',
      created_at: '2026-01-05 10:06:00+00',
    });
  });

  it('echo-find: returns the nearest note with its rank, or null; rejects an empty message', async () => {
    const found = await postForData('/echo-find', { message: 'number 4' });
    expect(found).to.have.all.keys(...NOTE, 'rank');
    expect(found).to.include({ id: 'note-4', message: 'I feel number 4 and lonely' });
    expect(found).to.have.property('rank').that.is.a('number');
    expect(await postForData('/echo-find-01', { message: 'unheard' })).to.equal(null);
    expect(await expectRejected(422, 'VAL_PAYLOAD', '/echo-find', { message: '' })).to.deep.equal(['/message']);
  });

  it('weather-trends: returns one row as an object, dates as text, counts as numbers', async () => {
    expect(await postForData('/weather-trends', {})).to.deep.equal({ week: '2026-01-05', tag: 'listening', count: 6 });
  });

  it('inquiry-submit: accepts what the form sends and returns the three names', async () => {
    const sent = { ...FORM, name: 'Grace', email: 'grace@example.com', status: 'responded' };
    const row = (await postForData('/inquiry-submit', sent)) as Loose;
    expect(row).to.have.all.keys('id', 'name', 'email');
    expect(row).to.include({ name: 'Grace', email: 'grace@example.com' });
    expect(row['id']).to.match(/^[0-9A-Za-z]{27}$/);
    submitted = String(row['id']);
  });

  it('inquiry-submit: returns null without a name and an address', async () => {
    expect(await postForData('/inquiry-submit-01', FORM)).to.include({ name: null, email: null });
  });

  it('inquiry-submit: names a missing column that the model requires', async () => {
    const { wall_status: _, ...rest } = FORM;
    expect(await expectRejected(422, 'QRY_NOT_NULL', '/inquiry-submit', rest)).to.deep.equal(['/wall_status']);
    expect(await expectRejected(422, 'QRY_NOT_NULL', '/inquiry-submit', { ...rest, wall_status: null })).to.deep.equal([
      '/wall_status',
    ]);
    const long = { ...FORM, wall_status: 'p'.repeat(21) };
    expect(await expectRejected(422, 'QRY_CHECK', '/inquiry-submit', long)).to.deep.equal(['/wall_status']);
  });

  it('inquiry-submit: validates lists and texts', async () => {
    const broken: readonly (readonly [object, readonly string[]])[] = [
      [{}, ['/services', '/message']],
      [{ services: 'listening' }, ['/services']],
      [{ services: ['a', 'b', 'c', 'd', 'e'] }, ['/services']],
      [{ services: ['ok', 'x', 'y'.repeat(21)] }, ['/services/1', '/services/2']],
      [{ services: ['ok', 5] }, ['/services/1']],
      [{ message: 'm'.repeat(2001) }, ['/message']],
    ];
    for (const [change, pointers] of broken) {
      const body = Object.keys(change).length === 0 ? {} : { ...FORM, ...change };
      expect(await expectRejected(422, 'VAL_PAYLOAD', '/inquiry-submit', body), JSON.stringify(change)).to.deep.equal(
        pointers,
      );
    }
  });

  it('admin-sign-in: returns a token for the right password, and never the hash', async () => {
    const signedIn = (await postForData('/admin-sign-in', ADMIN)) as Loose;
    expect(signedIn).to.have.all.keys('id', 'email', 'token');
    expect(signedIn).to.include({ id: 'admin-1', email: ADMIN.email });
    token = String(signedIn['token']);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Loose;
    expect(claims).to.include({ id: 'admin-1', email: ADMIN.email });
    expect(Number(claims['exp']) - Number(claims['iat'])).to.equal(86_400);
  });

  it('admin-sign-in: rejects a wrong password and an unknown address alike', async () => {
    const answers = await Promise.all(
      [
        { ...ADMIN, password: 'wrong horse battery' },
        { ...ADMIN, email: 'nobody@example.com' },
      ].map(async (body) => {
        const { status, body: problem } = await post('/admin-sign-in', body);
        return { status, ...problem, instance: '' };
      }),
    );
    expect(answers[0]).to.include({ status: 401, success: false });
    expect(answers[1]).to.deep.equal(answers[0]);
    const short = { email: 'no address', password: 'short' };
    expect(await expectRejected(422, 'VAL_PAYLOAD', '/admin-sign-in', short)).to.deep.equal(['/email', '/password']);
  });

  it('protected resources require the token, in the header of the definition', async () => {
    for (const path of ['/inquiry-list', '/volunteer-impact', '/inquiry-update-status']) {
      await expectRejected(401, 'TOK_REFUSED', path, {});
      await expectRejected(401, 'TOK_REFUSED', path, {}, { authorization: `Bearer ${token}` });
      await expectRejected(401, 'TOK_REFUSED', path, {}, { 'x-access-token': `${token.slice(0, -3)}abc` });
    }
    for (const headers of [createAdminHeaders(), { 'X-Access-Token': `Bearer ${token}` }]) {
      expect(expectRows(await postForData('/inquiry-list', {}, headers))).to.have.length(8);
    }
  });

  it('inquiry-list: returns every note, latest first', async () => {
    const rows = expectRows(await postForData('/inquiry-list', {}, createAdminHeaders()));
    for (const row of rows) expect(Object.keys(row)).to.deep.equal(LISTED);
    const grace = rows.find(({ id }) => id === submitted);
    // The status is a literal of the definition, whatever a client sends.
    expect(grace).to.include({ status: 'new', wall_status: 'pending', services: '["listening", "advice"]' });
    expect(grace?.['created_at']).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/);
    expect(rows.at(-1)).to.include({ id: 'note-1' });
  });

  it('inquiry-update-status, then volunteer-impact: counts the changes', async () => {
    const before = await postForData('/volunteer-impact', {}, createAdminHeaders());
    expect(before).to.deep.equal({ responded: 0, responded_this_week: 0, felt_less_alone: 6 });
    const change = { note_id: submitted, status: 'responded' };
    expect(await postForData('/inquiry-update-status', change, createAdminHeaders())).to.deep.equal({
      id: submitted,
      status: 'responded',
    });
    const after = await postForData('/volunteer-impact', {}, createAdminHeaders());
    expect(after).to.deep.equal({ responded: 1, responded_this_week: 1, felt_less_alone: 6 });
    expect(
      await postForData('/inquiry-update-status', { ...change, note_id: 'nobody' }, createAdminHeaders()),
    ).to.equal(null);
    expect(
      await expectRejected(422, 'VAL_PAYLOAD', '/inquiry-update-status', { note_id: submitted }, createAdminHeaders()),
    ).to.deep.equal(['/status']);
  });

  it('ai-chat: calls the other service as defined, and returns its response', async () => {
    const messages = [{ role: 'user', content: 'Nobody calls me any more.' }];
    const before = remote().requests.length;
    expect(await postForData('/ai-chat', { messages, model: 'another' })).to.deep.equal({ content: REPLY });
    expect(await postForData('/ai-chat-01', { messages })).to.deep.equal({ content: REPLY });
    expect(remote().requests).to.have.length(before + 2);
    const { method, url, headers, body } = remote().requests.at(-2)!;
    expect(`${method} ${headers.host}${url}`).to.equal('POST api.anthropic.com/v1/messages');
    expect(headers).to.include({
      'x-api-key': ENV.ANTHROPIC_API_KEY,
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    });
    expect(JSON.parse(body)).to.deep.equal({
      model: 'claude-sonnet-5',
      max_tokens: 400,
      system: ENV.LOWKEY_AI_SYSTEM_PROMPT,
      messages,
    });
    expect(await expectRejected(422, 'VAL_PAYLOAD', '/ai-chat', { messages: 'hello' })).to.deep.equal(['/messages']);
    expect(remote().requests).to.have.length(before + 2);
  });

  it('wall-approve: notifies clients of the wall once, and none after a rejection', async () => {
    const [watcher, another] = [await connect(address()), await connect(address(), { query: '?uid=somebody' })];
    try {
      await expectRejected(401, 'TOK_REFUSED', '/wall-approve', { note_id: 'note-1' });
      await expectRejected(422, 'VAL_PAYLOAD', '/wall-approve', {}, createAdminHeaders());
      expect(await postForData('/wall-approve', { note_id: 'note-1' }, createAdminHeaders())).to.deep.equal({
        id: 'note-1',
      });
      expect(await watcher.next()).to.deep.equal({ uid: null, action: 'wall_updated', data: { id: 'note-1' } });
      expect(await another.next()).to.include({ uid: 'somebody', action: 'wall_updated' });
      // It is approved already.
      expect(await postForData('/wall-approve-01', { note_id: 'note-1' }, createAdminHeaders())).to.equal(null);
      expect(await watcher.next()).to.deep.equal({ uid: null, action: 'wall_updated', data: null });
    } finally {
      for (const one of [watcher, another]) await one.close();
    }
  });

  it('wall-react: counts and sends over HTTP and over a connection', async () => {
    const watcher = await connect(address());
    const reacting = await connect(address());
    try {
      const once = { id: 'note-2', reactions: '{"same": 1, "strength": 0, "not_alone": 2}' };
      expect(await postForData('/wall-react', { id: 'note-2', reaction: 'same' })).to.deep.equal(once);
      for (const one of [watcher, reacting])
        expect(await one.next()).to.deep.equal({ uid: null, action: 'wall_reaction_update', data: once });
      const twice = { id: 'note-2', reactions: '{"same": 2, "strength": 0, "not_alone": 2}' };
      expect((await reacting.sendRequest('wall-react-01', { id: 'note-2', reaction: 'same' })).data).to.deep.equal(
        twice,
      );
      expect((await watcher.next()).data).to.deep.equal(twice);
      expect(await postForData('/wall-react', { id: 'note-2', reaction: 'unknown' })).to.equal(null);
    } finally {
      for (const one of [watcher, reacting]) await one.close();
    }
  });
}
