/**
 * Rooms: connections join and leave them through resources, messages reach their members. Real connections on a real
 * kernel.
 */
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineQueryResource } from '../support/project.js';
import { connect, type SocketClient } from '../support/sockets.js';
import { createBearerInit, signJwt, KEY } from '../support/tokens.js';

const resource = (id: string, actionable: object, rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'RETURN', value: { done: true }, ...actionable }],
  ...rest,
});
const guard = { tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' }, protected: { extract_claims: ['id'] } };
const createRoomBroadcast = (name: unknown): object => ({
  broadcast_websocket_message: { broadcast_type: 'ROOM', action: 'said', broadcast_to_room: name },
});
const inserting = (id: string) => ({
  query: 'INSERT INTO members (id, team) VALUES ($1, $2)',
  parameters: [id, 'team'],
});

const FILES = {
  'definitions/_members.model.json': { id: { type: 'Number', primary_key: true }, team: { type: 'String' } },
  'definitions/all.json': [
    defineQueryResource('members', 'SELECT id FROM members ORDER BY id', [], { result: 'many' }),
    resource('say', createRoomBroadcast('team $PAYLOAD.team')),
    resource('say-twice', createRoomBroadcast(['team $PAYLOAD.a', 'team $PAYLOAD.b', 'team $PAYLOAD.a'])),
    resource('join', { join_room: 'team $PAYLOAD.team' }),
    resource('join-many', { join_room: '$PAYLOAD.room' }),
    resource('leave', { leave_room: 'team $PAYLOAD.team' }),
    resource('owned', { join_room: 'team of $PROTECTED.id' }, guard),
    {
      id: 'enrol',
      resource: 'enrol',
      actionables: [
        { id: 1, mode: 'QUERY', sql_query: inserting('id'), join_room: 'team $PAYLOAD.team' },
        { id: 2, mode: 'QUERY', sql_query: inserting('$PAYLOAD.next') },
      ],
    },
    {
      id: 'found',
      resource: 'found',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'SELECT team FROM members WHERE id = $1', parameters: ['id'] },
          must_return_value: true,
          extract_response_for: [{ extract: 'team', for: 'its_team' }],
          join_room: 'team $PAYLOAD.its_team',
        },
      ],
    },
  ],
};

describe('rooms', () => {
  let kernel!: TestKernel;
  const clients: SocketClient[] = [];
  before(async function () {
    kernel = await startKernel({
      validated: true,
      files: FILES,
      config: {
        websocket: { enabled: true, limits: { rooms: 3 } },
        connections: { main: { use: 'pglite', path: 'memory://' } },
      },
      env: { KEY },
    });
  });
  after(() => kernel.close());
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  async function client(options: Parameters<typeof connect>[1] = {}): Promise<SocketClient> {
    const made = await connect(kernel.url, options);
    clients.push(made);
    return made;
  }
  const postMessage = async (team: string): Promise<void> =>
    void expect((await kernel.post('/say', { team })).status).to.equal(200);
  const getErrorCode = (frame: { readonly error?: Readonly<Record<string, unknown>> }): unknown =>
    frame.error?.['code'];
  /** Received frames that were not read. */
  const countReceived = (one: SocketClient): number => one.frames.filter(({ action }) => action === 'said').length;

  it('reach connections that joined, until they leave', async () => {
    const [a, b] = [await client(), await client()];
    expect((await a.sendRequest('join', { team: 'a' })).data).to.deep.equal({ done: true });
    await b.sendRequest('join', { team: 'b' });
    await postMessage('a');
    expect(await a.next()).to.deep.equal({ uid: null, action: 'said', data: { done: true } });
    expect((await a.sendRequest('leave', { team: 'a' })).error).to.equal(undefined);
    await postMessage('a');
    await postMessage('b');
    await b.next();
    await a.sendRequest('leave', { team: 'never joined' });
    expect([countReceived(a), countReceived(b)]).to.deep.equal([0, 0]);
  });

  it('send a message once to a connection in two of them', async () => {
    const a = await client();
    await a.sendRequest('join', { team: 'a' });
    await a.sendRequest('join', { team: 'b' });
    await kernel.post('/say-twice', { a: 'a', b: 'b' });
    await a.next();
    await a.sendRequest('leave', { team: 'a' });
    expect(countReceived(a)).to.equal(0);
  });

  it('can be joined only by a connection: over HTTP the request is rejected, and no work runs', async () => {
    for (const [path, body] of [
      ['/join', { team: 'a' }],
      ['/leave', { team: 'a' }],
      ['/enrol', { id: 90, next: 91, team: 'a' }],
    ] as const) {
      const { status, body: problem } = await kernel.post(path, body);
      expect([status, problem['code']]).to.deep.equal([409, 'WS_NO_CONNECTION']);
    }
    expect((await kernel.post('/members')).body).to.deep.equal([]);
    // An unauthorized caller gets that error first.
    expect((await kernel.post('/owned', {})).status).to.equal(401);
    expect((await kernel.post('/owned', {}, createBearerInit(await signJwt({ id: 'ada' })))).status).to.equal(409);
  });

  it('are joined when the work is committed, and not when it is rolled back', async () => {
    const [a, b] = [await client(), await client()];
    expect((await a.sendRequest('enrol', { id: 1, next: 2, team: 'x' })).error).to.equal(undefined);
    expect(getErrorCode(await b.sendRequest('enrol', { id: 3, next: 1, team: 'x' }))).to.equal('QRY_UNIQUE');
    await postMessage('x');
    await a.next();
    await b.sendRequest('leave', { team: 'y' });
    expect(countReceived(b)).to.equal(0);
  });

  it('may be named by a result, and nothing is joined without one', async () => {
    const a = await client();
    await a.sendRequest('enrol', { id: 11, next: 12, team: 'z' });
    const b = await client();
    expect((await b.sendRequest('found', { id: 11 })).error).to.equal(undefined);
    expect(getErrorCode(await b.sendRequest('found', { id: 99 }))).to.equal('ACT_NO_VALUE');
    await postMessage('z');
    expect((await b.next()).action).to.equal('said');
  });

  it('are limited for each connection, and an invalid name is rejected', async () => {
    const a = await client();
    for (const name of ['r1', 2, 'r3', 'r1'])
      expect((await a.sendRequest('join-many', { room: name })).error).to.equal(undefined);
    const full = await a.sendRequest('join-many', { room: 'r4' });
    expect(getErrorCode(full)).to.equal('WS_ROOMS_FULL');
    for (const name of [null, '', {}, 'x'.repeat(257)]) {
      expect(getErrorCode(await a.sendRequest('join-many', { room: name }))).to.equal('BRC_RECEIVER');
    }
  });

  it('are protected by the guard of their resource', async () => {
    const a = await client({ protocols: ['Authorization', await signJwt({ id: 'ada' })] });
    expect((await a.sendRequest('owned')).data).to.deep.equal({ done: true });
    expect(getErrorCode(await (await client()).sendRequest('owned'))).to.equal('TOK_REFUSED');
  });
});
