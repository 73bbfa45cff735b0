/**
 * Messages of actionables to connected clients: recipients, contents, and time. Real connections on a real kernel; a
 * third-party plugin observes the messages.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { JobEntry, RuntimeServices } from '../../contract/deferred.js';
import type { Delivery } from '../../contract/delivery.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES, defineQueryResource, defineReturnResource } from '../support/project.js';
import { connect, type SocketClient } from '../support/sockets.js';
import { KEY } from '../support/tokens.js';

interface Overhearing {
  readonly received: { readonly message: Delivery; readonly trigger: string }[];
  readonly state: { change: ((message: Delivery) => unknown) | null };
}
interface Behind {
  readonly puts: JobEntry[];
  readonly state: { readonly running: RuntimeServices };
}
const fixture = async <T>(name: string): Promise<T> =>
  (await import(pathToFileURL(join(PLUGIN_FIXTURES, name, 'runtime.js')).href)) as T;

type BroadcastMessage = Readonly<Record<string, unknown>>;
const toAll: BroadcastMessage = { broadcast_type: 'ALL', action: 'told' };
const defineBroadcast = (id: string, message: BroadcastMessage, value: unknown = { n: 1 }, rest: object = {}): object =>
  defineReturnResource(id, value, {
    actionables: [{ id: 1, mode: 'RETURN', value, broadcast_websocket_message: message, ...rest }],
  });
const inserting = (text: string) => ({
  query: 'INSERT INTO notes (id, text) VALUES ($1, $2)',
  parameters: ['id', { literal: text }],
});

const FILES = {
  'definitions/_notes.model.json': {
    id: { type: 'Number', primary_key: true },
    text: { type: 'String' },
    secret: { type: 'String', secret: true, optional: true },
  },
  'definitions/all.json': [
    defineQueryResource('notes', 'SELECT id FROM notes ORDER BY id', [], { result: 'many' }),
    defineBroadcast('all', toAll),
    defineBroadcast('heard', toAll, { n: 1 }, {}),
    defineBroadcast(
      'one',
      { broadcast_type: 'SINGLE', action: 'told', broadcast_to: '$PAYLOAD.to' },
      { to: '$PAYLOAD.to' },
    ),
    defineBroadcast('many', { broadcast_type: 'BULK', action: 'told', broadcast_to: '$PAYLOAD.to' }),
    defineBroadcast('both', { broadcast_type: 'BULK', action: 'told', broadcast_to: ['$PAYLOAD.a', 'b'] }),
    { ...defineBroadcast('overheard', toAll), overhearing: 'yes' },
    {
      id: 'stored',
      resource: 'stored',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: inserting('a'),
          broadcast_websocket_message: { broadcast_type: 'SINGLE', action: 'told', broadcast_to: '$PAYLOAD.to' },
        },
      ],
    },
    {
      id: 'its-owner',
      resource: 'its-owner',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'SELECT id, text FROM notes WHERE id = $1', parameters: ['id'] },
          extract_response_for: [{ extract: 'text', for: 'owner' }],
          returnables: ['id'],
          broadcast_websocket_message: { broadcast_type: 'SINGLE', action: 'told', broadcast_to: '$PAYLOAD.owner' },
        },
      ],
    },
    {
      id: 'twice',
      resource: 'twice',
      actionables: [
        { id: 1, mode: 'QUERY', sql_query: inserting('a'), broadcast_websocket_message: toAll },
        { id: 2, mode: 'QUERY', sql_query: { ...inserting('b'), parameters: ['$PAYLOAD.second', { literal: 'b' }] } },
      ],
    },
    {
      id: 'shown',
      resource: 'shown',
      returnables: ['id'],
      tokenize: { type: 'JWT', encryption_key: '$ENV.KEY', custom_claim_fields: ['id'] },
      actionables: [
        { id: 1, mode: 'QUERY', sql_query: inserting('a') },
        {
          id: 2,
          mode: 'QUERY',
          sql_query: { query: 'SELECT id, text, secret FROM notes WHERE id = $1', parameters: ['id'] },
          broadcast_websocket_message: toAll,
        },
      ],
    },
    {
      id: 'shown-own',
      resource: 'shown-own',
      returnables: ['id'],
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'SELECT id, text, secret FROM notes WHERE id = $1', parameters: ['id'] },
          returnables: ['text'],
          broadcast_websocket_message: toAll,
        },
      ],
    },
    {
      id: 'shown-whole',
      resource: 'shown-whole',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'SELECT id, text, secret FROM notes ORDER BY id', parameters: [] },
          result: 'many',
          broadcast_websocket_message: toAll,
        },
      ],
    },
    defineBroadcast('kept', toAll, { at: '$DATETIME' }, { cacheable: { read_from_cache: true, duration: 60 } }),
    { ...defineBroadcast('kept-whole', toAll), cacheable: { read_from_cache: true, duration: 60 } },
    defineBroadcast('behind', toAll, { id: '$PAYLOAD.id' }, { behind: { after: 0 } }),
    defineBroadcast('clock', toAll, { by: 'clock' }, { behind: { clock: '0 0 0 1 1 *' } }),
  ],
};

describe('broadcasts', () => {
  let kernel!: TestKernel;
  let overhearing: Overhearing;
  const clients: SocketClient[] = [];
  before(async function () {
    overhearing = await fixture('overhearing');
    kernel = await startKernel({
      files: FILES,
      config: {
        http: { limits: { array: 20_000 } },
        websocket: { enabled: true },
        plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'overhearing'), join(PLUGIN_FIXTURES, 'behind')],
        connections: { main: { use: 'pglite', path: 'memory://' } },
      },
      env: { KEY },
    });
  });
  after(() => kernel.close());
  afterEach(async () => {
    overhearing.received.length = 0;
    overhearing.state.change = null;
    for (const client of clients.splice(0)) await client.close();
  });

  async function client(uid?: string): Promise<SocketClient> {
    const made = await connect(kernel.url, uid === undefined ? {} : { query: `?uid=${uid}` });
    clients.push(made);
    return made;
  }
  async function post(path: string, body: object = {}, status = 200): Promise<string> {
    const answer = await kernel.post(path, body);
    expect(answer.status, answer.text).to.equal(status);
    const { code } = { code: '', ...(answer.body as object | null) };
    return code;
  }
  /** Earlier messages have arrived when this one has. */
  async function silent(...these: readonly SocketClient[]): Promise<void> {
    await post('/all');
    for (const one of these)
      expect(await one.next())
        .to.include({ action: 'told' })
        .and.deep.include({ data: { n: 1 } });
  }

  it('reach every connection with ALL, each with its own uid, and no other member in the frame', async () => {
    const [ada, nobody] = [await client('ada'), await client()];
    await post('/all');
    expect(await ada.next()).to.deep.equal({ uid: 'ada', action: 'told', data: { n: 1 } });
    expect(await nobody.next()).to.deep.equal({ uid: null, action: 'told', data: { n: 1 } });
  });

  it('reach only the connections of one uid with SINGLE, text or number', async () => {
    const [seven, again, eight, nobody] = [await client('7'), await client('7'), await client('8'), await client()];
    for (const to of ['7', 7]) {
      await post('/one', { to });
      for (const one of [seven, again]) expect((await one.next()).data).to.deep.equal({ to });
    }
    await post('/one', { to: 'gone' });
    await silent(eight, nobody, seven, again);
  });

  it('reach the uids of a list with BULK, each once', async () => {
    const [a, b, c] = [await client('a'), await client('b'), await client('c')];
    await post('/many', { to: ['a', 'b', 'a', 5] });
    for (const one of [a, b]) expect((await one.next()).action).to.equal('told');
    await post('/both', { a: 'c' });
    for (const one of [b, c]) expect((await one.next()).action).to.equal('told');
    await post('/many', { to: [] });
    await silent(a, b, c);
  });

  it('reject a missing recipient before any work', async () => {
    for (const to of [null, true, '', {}, [], 'x'.repeat(257)]) {
      expect(await post('/one', { to }, 422), JSON.stringify(to)).to.equal('BRC_RECEIVER');
      expect(await post('/stored', { id: 1, to }, 422)).to.equal('BRC_RECEIVER');
    }
    expect(await post('/one', {}, 422)).to.equal('ACC_UNRESOLVED');
    for (const to of ['a', 5, null, { 0: 'a' }]) expect(await post('/many', { to }, 422)).to.equal('BRC_LIST');
    for (const to of [['a', null], [[]], ['']]) expect(await post('/many', { to }, 422)).to.equal('BRC_RECEIVER');
    const many = Array.from({ length: 10_001 }, (_, n) => n);
    expect(await post('/many', { to: many }, 422)).to.equal('BRC_MANY');
    expect((await kernel.post('/notes')).body).to.deep.equal([]);
  });

  it('are sent after the commit, and never when the work is rolled back', async () => {
    const ada = await client('ada');
    await post('/twice', { id: 1, second: 2 });
    expect((await ada.next()).data).to.deep.equal({ id: 1, text: 'a' });
    await post('/twice', { id: 3, second: 1 }, 409);
    await silent(ada);
    expect((await kernel.post('/notes')).body).to.deep.equal([{ id: 1 }, { id: 2 }]);
  });

  it('reach recipients named by the result', async () => {
    const [a, b] = [await client('a'), await client('b')];
    await post('/its-owner', { id: 2 });
    expect((await b.next()).data).to.deep.equal({ id: 2 });
    await silent(a, b);
    expect(await post('/its-owner', { id: 99 }, 422)).to.equal('DEP_UNRESOLVED');
  });

  it('contain the fields of `returnables`, never a secret, and no token of the response', async () => {
    const ada = await client('ada');
    const { body } = await kernel.post('/shown', { id: 20 });
    expect(body).to.have.all.keys('id', 'token');
    expect((await ada.next()).data).to.deep.equal({ id: 20 });
    await post('/shown-own', { id: 20 });
    expect((await ada.next()).data).to.deep.equal({ text: 'a' });
    await post('/shown-whole');
    const rows = (await ada.next()).data as Record<string, unknown>[];
    expect(rows.length).to.be.greaterThan(1);
    for (const row of rows) expect(row).to.have.all.keys('id', 'text');
  });

  it('are sent for a cached result, and not for a cached response', async () => {
    const ada = await client('ada');
    await post('/kept');
    await post('/kept');
    const [first, second] = [await ada.next(), await ada.next()];
    expect(first).to.deep.equal(second);
    await post('/kept-whole');
    await post('/kept-whole');
    expect((await ada.next()).data).to.deep.equal({ n: 1 });
    await post('/one', { to: 'ada' });
    expect((await ada.next()).data).to.deep.equal({ to: 'ada' });
  });

  it('pass the hook, which may change them; if it fails, the message is lost and the response is sent', async () => {
    const ada = await client('ada');
    await post('/overheard');
    await ada.next();
    expect(overhearing.received).to.deep.equal([
      { message: { action: 'told', data: { n: 1 }, to: { all: true }, id: null }, trigger: 'http' },
    ]);
    overhearing.state.change = (message) => ({ ...message, action: 'changed' });
    await post('/heard');
    expect((await ada.next()).action).to.equal('changed');
    overhearing.state.change = () => {
      throw new Error('deaf');
    };
    await post('/heard');
    overhearing.state.change = null;
    await silent(ada);
    const row = kernel.log.find(({ message }) => message === 'message to connected clients not sent');
    expect(row).to.deep.include({ level: 'error' });
    expect(row?.fields).to.include({ place: 'heard#1' });
  });

  it('that are too large are not sent, and the log has the resource', async () => {
    const ada = await client('ada');
    await post('/one', { to: 'ada', x: 1 });
    await ada.next();
    overhearing.state.change = (message) => ({ ...message, data: 'x'.repeat(262_144) });
    await post('/all');
    overhearing.state.change = null;
    await silent(ada);
    expect(kernel.log.some(({ fields }) => fields['code'] === 'RLY_LARGE' && fields['place'] === 'all#1')).to.equal(
      true,
    );
  });

  it('are sent by jobs and by scheduled runs too', async () => {
    const behind = await fixture<Behind>('behind');
    const ada = await client('ada');
    await post('/behind', { id: 5 }, 202);
    await silent(ada);
    const never = new AbortController().signal;
    const put = behind.puts.at(-1)!;
    expect(await behind.state.running.runJob(put.work, 1, never)).to.deep.equal({ done: true });
    expect(await ada.next()).to.deep.equal({ uid: 'ada', action: 'told', data: { id: 5 } });
    const [schedule] = behind.state.running.schedules();
    expect(await behind.state.running.runSchedule(schedule!, 'clock:1', Date.now(), never)).to.deep.equal({
      done: true,
    });
    expect((await ada.next()).data).to.deep.equal({ by: 'clock' });
    expect(overhearing.received.map(({ trigger }) => trigger)).to.deep.equal(['http', 'job', 'cron']);
  });

  it('over a connection are sent in addition to its response', async () => {
    const [ada, bob] = [await client('ada'), await client('bob')];
    expect((await ada.sendRequest('one', { to: 'bob' })).data).to.deep.equal({ to: 'bob' });
    expect((await bob.next()).data).to.deep.equal({ to: 'bob' });
  });
});
