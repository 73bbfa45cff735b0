/** The console with work that no request waits for: messages, jobs, schedules; what stores hold; and changes of rows. */
import { expect } from 'chai';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startWithConsole, WORK_FILES, type ShownKernel } from '../support/console.js';
import { connect } from '../support/sockets.js';
import { waitForValue } from '../support/jobs.js';
import { waitUntil } from '../support/until.js';

type Row = Readonly<Record<string, unknown>>;
interface Shown {
  readonly number: number;
  readonly trigger: string;
  readonly resource: string;
  readonly status: number;
  readonly payload: Row;
  readonly obstacle: string | null;
  readonly stages: readonly { readonly sent: { readonly sql: string; readonly values: Row } | null }[];
}

describe('the console, outside of requests', () => {
  let shown: ShownKernel;
  before(async () => {
    const config = { websocket: { enabled: true } };
    shown = await startWithConsole({ config, files: WORK_FILES });
  });
  after(() => shown.close());

  /** The newest record of a trigger and a resource. */
  async function findRecord(trigger: string, resource: string): Promise<Shown> {
    const find = async (): Promise<Shown | undefined> => {
      const { requests } = (await shown.call<{ readonly requests: readonly Shown[] }>('requests')).body;
      return requests.filter((one) => one.trigger === trigger && one.resource === resource).at(-1);
    };
    const found = await waitForValue(find, (one) => one !== undefined);
    return (await shown.call<Shown>(`request?number=${found?.number}`)).body;
  }
  const readPane = async (title: string): Promise<Readonly<Record<string, readonly Row[]>>> => {
    const { panes } = (
      await shown.call<{ readonly panes: readonly { readonly id: string; readonly title: string }[] }>('state')
    ).body;
    const id = panes.find((pane) => pane.title === title)?.id ?? title;
    return (
      await shown.call<{ readonly content: Readonly<Record<string, readonly Row[]>> }>(
        `pane?id=${encodeURIComponent(id)}`,
      )
    ).body.content;
  };
  const post = (path: string) => shown.call<Readonly<Record<string, string>>>(path, 'POST');

  it('shows a message of a connection, with what it sends, and sends it again as a request', async () => {
    const client = await connect(shown.url);
    await client.sendRequest('notes/add', { text: 'by message', pin: 'my-secret-pin' });
    const secret = await findRecord('websocket', 'note-add');
    expect(secret).to.include({ status: 200, obstacle: 'The request had secrets, which are not recorded.' });
    expect(secret.payload).to.deep.equal({ text: 'by message', pin: '‹secret›' });
    expect(secret.stages[0]?.sent?.values).to.include({ '$2 text': 'by message', '$3 pin': '‹secret›' });
    await client.sendRequest('cached', { text: 'plain' });
    const { number, obstacle } = await findRecord('websocket', 'cached');
    expect(obstacle).to.equal(null);
    expect((await post(`replay?number=${number}`)).body).to.deep.include({
      method: 'POST',
      path: '/cached',
      body: '{"text":"plain"}',
    });
    await client.close();
  });

  it('shows connections with their rooms, and neither once they are closed', async () => {
    const client = await connect(shown.url);
    await client.sendRequest('enter', { room: 'seven' });
    const { rooms, connections } = await readPane('Connections');
    expect(rooms).to.deep.equal([{ room: 'game seven', members: 1 }]);
    expect(connections?.[0]).to.include({ uid: null, verified: false, rooms: 'game seven', waiting: 0 });
    await client.close();
    await waitUntil(async () => (await readPane('Connections'))['rooms']?.length === 0, 'an empty list of rooms');
  });

  it('shows a job with its statement, which a failed one keeps for a retry or a removal', async () => {
    await shown.post('/job', { id: 'j1', text: 'by job' });
    const job = await findRecord('job', 'job');
    expect(job).to.include({ status: 200 });
    expect(job.obstacle).to.contain('retry the job');
    expect(job.stages[0]?.sent?.sql).to.contain('INSERT INTO notes');
    expect(Object.values(job.stages[0]?.sent?.values ?? {})).to.include.members(['j1', 'by job']);
    for (const path of ['replay', 'save'])
      expect((await post(`${path}?number=${job.number}`)).status, path).to.equal(409);
    await shown.post('/job', { id: 'j1', text: 'twice' });
    const readDead = async (): Promise<readonly Row[]> =>
      ((await readPane('Jobs'))['jobs'] ?? []).filter(({ state }) => state === 'dead');
    const [dead] = await waitForValue(readDead, ({ length }) => length === 1);
    expect(dead).to.include({ part: 'job#1', attempts: '1 of 1', failure: 'QRY_UNIQUE' });
    const detail = await shown.call<Row>(`job?id=${String(dead?.['id'])}`);
    expect(detail.body['payload']).to.deep.equal({ id: 'j1', text: 'twice' });
    expect((await post(`jobs/retry?id=${String(dead?.['id'])}`)).status).to.equal(200);
    await waitForValue(readDead, ({ length }) => length === 1);
    expect((await post('jobs/purge-dead')).body).to.deep.equal({ removed: 1 });
    expect(await readDead()).to.deep.equal([]);
  });

  it('shows a schedule with its next runs, runs it now, and shows the run', async () => {
    const [schedule] = (await readPane('Schedules'))['schedules'] ?? [];
    expect(schedule).to.include({ key: 'yearly#1' });
    expect(String(schedule?.['next'])).to.match(/^\d{4}-01-01T00:00:00Z, /);
    expect((await post('schedules/run?key=yearly%231')).status).to.equal(200);
    const run = await findRecord('cron', 'yearly');
    expect([run.status, run.obstacle]).to.deep.equal([
      200,
      'A scheduled run is not sent again: run it now in the pane "Schedules".',
    ]);
    expect(Object.values(run.stages[0]?.sent?.values ?? {})).to.include('yearly');
    expect((await post('schedules/run?key=other')).status).to.equal(404);
  });

  it('shows keys of the cache without values of requests, files, and what tests have reached', async () => {
    await shown.post('/cached', { text: 'a-value-of-the-caller' });
    const { keys = [] } = await readPane('Cache');
    expect(keys.map(({ key }) => key)).to.include.members(['text …', 'actionable cached#1']);
    expect(JSON.stringify(keys)).not.to.contain('a-value-of-the-caller');
    const body = new FormData();
    body.append('file', new Blob(['hello'], { type: 'text/plain' }), 'a.txt');
    await fetch(`${shown.url}/upload`, { method: 'POST', body });
    const { files = [] } = await readPane('Files');
    expect(files.map(({ bytes, access }) => [bytes, access])).to.deep.equal([[5, 'open']]);
    const { folder } = shown.started.project;
    await mkdir(join(folder, '.lintel'), { recursive: true });
    const places = [1, 0].map((hits) => ({ resource: 'job', label: `place ${hits}`, hits }));
    await writeFile(join(folder, '.lintel/coverage.json'), JSON.stringify({ places }));
    const { resources = [] } = await readPane('Definitions');
    expect(resources.find(({ id }) => id === 'job')).to.include({ 'reached by tests': '1 of 2' });
    const { body: definition } = await shown.call<Row>('definition?id=job');
    expect(definition['coverage']).to.deep.equal([
      { place: 'place 1', hits: 1 },
      { place: 'place 0', hits: 0 },
    ]);
  });

  it('shows the last calls of services', async () => {
    for (const n of [1, 2]) await shown.post('/call', { n });
    const readCalls = async (): Promise<readonly Row[]> => (await readPane('Outbound calls'))['calls'] ?? [];
    const calls = await waitForValue(readCalls, ({ length }) => length === 2);
    expect(calls.map(({ call, body }) => [call, body])).to.deep.equal(
      [2, 1].map((n) => ['POST http://127.0.0.1:9/hook', JSON.stringify({ n })]),
    );
    expect((await shown.call<Shown>(`request?number=${String(calls[0]?.['request'])}`)).body.resource).to.equal('call');
  });

  describe('changes of rows', () => {
    interface Outcome {
      readonly done: boolean;
      readonly violations: readonly { readonly column: string | null; readonly message: string }[];
      readonly effects: readonly string[];
      readonly message?: string;
    }
    const send = (path: 'check' | 'change', change: object) =>
      shown.call<Outcome>(`data/${path}`, 'POST', { 'x-lintel-change': encodeURIComponent(JSON.stringify(change)) });
    const readRows = async (table: string): Promise<readonly Row[]> =>
      (await shown.call<{ readonly rows: readonly Row[] }>(`data?table=${table}`)).body.rows;

    it('are only checked until they are confirmed, and say all that they violate', async () => {
      const insert = { kind: 'insert', table: '_author', values: { id: '1', name: 'Ada' } };
      expect((await send('check', insert)).body).to.deep.equal({ done: false, violations: [], effects: [] });
      expect(await readRows('_author')).to.deep.equal([]);
      expect((await send('change', insert)).body.done).to.equal(true);
      expect(await readRows('_author')).to.deep.equal([{ id: 1, name: 'Ada' }]);
      expect((await send('change', insert)).body.violations[0]?.message).to.contain('duplicate key');
      await shown.post('/notes/add', { text: 'to be changed' });
      const id = (await readRows('notes')).find(({ text }) => text === 'to be changed')?.['id'];
      const update = (values: object) => ({ kind: 'update', table: 'notes', key: { id }, values });
      const wrong = await send('change', update({ author: '7', text: null }));
      expect(wrong.body.done).to.equal(false);
      expect(wrong.body.violations.map(({ column }) => column)).to.deep.equal(['author', 'text']);
      expect((await send('change', update({ author: 'Ada' }))).body.violations).to.deep.equal([
        { column: 'author', message: '"author" takes a whole number up to 9007199254740991.' },
      ]);
      expect((await send('change', update({ author: '1', text: 'changed' }))).body.done).to.equal(true);
      expect((await readRows('notes')).find((row) => row['id'] === id)).to.include({ text: 'changed', author: 1 });
    });

    it('name rows that refer to a row before it is removed', async () => {
      const remove = { kind: 'delete', table: '_author', key: { id: 1 } };
      const { body } = await send('change', remove);
      expect([body.done, body.effects]).to.deep.equal([false, ['1 rows of "notes" refer to it by "author".']]);
      expect(body.violations[0]?.message).to.contain('foreign key');
      const update = { kind: 'update', table: 'notes', key: { id: 'other' }, values: { text: 'a' } };
      expect((await send('change', update)).body.violations[0]?.message).to.equal('0 rows have this key.');
    });

    it('reach no secret column, no row without its key, and no other table', async () => {
      const secret = await send('change', { kind: 'update', table: 'notes', key: { id: 'a' }, values: { pin: '1' } });
      expect([secret.status, secret.body.message]).to.deep.equal([400, 'The column "pin" cannot be changed here.']);
      expect((await send('change', { kind: 'delete', table: 'notes', key: {} })).status).to.equal(409);
      expect((await send('change', { kind: 'delete', table: 'pg_authid', key: { id: 1 } })).status).to.equal(404);
      expect((await send('change', { kind: 'drop', table: 'notes' })).status).to.equal(400);
    });
  });
});

describe('the console of `lintel serve`', () => {
  const env = { CONSOLE_TOKEN: 'a'.repeat(40) };
  let shown: ShownKernel;
  before(async () => {
    const config = { observers: { console: { use: 'web_console', token: '$ENV.CONSOLE_TOKEN' } } };
    shown = await startWithConsole({ config, env, dev: false });
  });
  after(() => shown.close());

  it('shows requests with the token of the config, without bodies of responses, and changes nothing', async () => {
    await shown.post('/notes/add', { text: 'hello' });
    const read = () => shown.call<{ readonly requests: readonly { readonly number: number }[] }>('requests');
    await waitUntil(async () => (await read()).body.requests.length === 1, 'a record');
    const [{ number } = { number: 0 }] = (await read()).body.requests;
    const { body } = await shown.call<Record<string, unknown>>(`request?number=${number}`);
    expect(body).to.include({ status: 200, resource: 'note-add' });
    expect(body).not.to.have.property('answer');
    expect(JSON.stringify(body)).not.to.contain(shown.started.project.folder);
    for (const path of ['replay', 'save', 'jobs/retry', 'jobs/purge-dead', 'schedules/run', 'data/change'])
      expect((await shown.call(`${path}?number=${number}`, 'POST')).status, path).to.equal(404);
    expect((await shown.request('GET', '/console/api/requests')).status).to.equal(401);
  });

  it('is disabled without a token', async () => {
    const { openConsole } = await import('../../cli/console/console.js');
    const config = { observers: { console: { use: 'web_console' } } };
    const { startKernel } = await import('../support/kernel.js');
    const plain = await startKernel({ config });
    try {
      expect(await openConsole(plain.kernel, false, () => Promise.reject(new Error('observed')))).to.equal(null);
      expect(plain.kernel.running.notifyObservers).not.to.equal(undefined);
      expect(plain.log.map(({ message }) => message)).to.include('the console is not served: it has no token');
    } finally {
      await plain.close();
    }
  });
});
