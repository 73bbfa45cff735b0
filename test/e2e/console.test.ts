/** The console over HTTP: what is recorded, without secrets and bounded, what can be done with it, and which callers may ask. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { request as openRequest } from 'node:http';
import { join } from 'node:path';
import { CONSOLE_FILES, startWithConsole, type ShownKernel } from '../support/console.js';
import { defineQueryResource } from '../support/project.js';
import { waitUntil } from '../support/until.js';

interface Stage {
  readonly key: string;
  readonly code: string | null;
  readonly rows: number | null;
  readonly types: readonly string[];
  readonly sent: { readonly sql: string; readonly values: Readonly<Record<string, unknown>> } | null;
  readonly place: Place;
}
interface Place {
  readonly file: string;
  readonly line: number;
  readonly link: string;
}
interface Shown {
  readonly number: number;
  readonly status: number;
  readonly path: string;
  readonly obstacle: string | null;
  readonly lacks: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly answer: Readonly<Record<string, unknown>>;
  readonly stages: readonly Stage[];
  readonly problem: { readonly code: string; readonly cause: string | null; readonly place: Place } | null;
}

/** A plugin of a project with a pane of its own. */
const PANE_PLUGIN = {
  'my-plugins/counted/spec.mjs': `export default { kind: 'generator', name: 'COUNTED', since: '1.0.0', summary: 'Numbers.',
    facts: { length: 1, pattern: '[0-9]', sortable: false, guessable: true },
    examples: [{ title: 'A number', json: '$GENERATOR.COUNTED' }],
    counterExamples: [{ title: 'Misspelt', json: '$GENERATOR.COUNTD', code: 'DEF_UNKNOWN_PLUGIN', at: '' }] };`,
  'my-plugins/counted/runtime.mjs': `export default { create: () => ({ next: () => '1' }),
    createConsolePane: () => ({ title: 'Numbers', read: () => ({ made: [{ text: '<b>1</b>' }] }) }) };`,
  'definitions/number.json': {
    id: 'number',
    resource: 'number',
    returnables: ['n'],
    actionables: [{ id: 1, mode: 'RETURN', value: { n: '$GENERATOR.COUNTED' } }],
  },
};

const ENTRY_FILES = {
  'definitions/_entry.model.json': {
    id: { type: 'Number', primary_key: true },
    note: { type: 'String', max_length: 26, foreign_key: { of: '_note', key: 'id' } },
    code: { type: 'String', max_length: 26, secret: true },
  },
  'definitions/entry-add.json': {
    ...defineQueryResource('entries-add', 'INSERT INTO entries (id, note, code) VALUES ($1, $2, $3)', [
      ...['id', 'note', 'code'].map((name) => `$PAYLOAD.${name}`),
    ]),
    returnables: ['id'],
  },
  'definitions/entry-read.json': defineQueryResource('entries-read', 'SELECT id, note FROM entries WHERE id = $1', [
    '$PAYLOAD.id',
  ]),
};

describe('the console', () => {
  let shown: ShownKernel;
  before(async () => {
    const config = {
      observers: { console: { use: 'web_console', requests: 20 } },
      plugins: ['builtin:*', './my-plugins/counted'],
    };
    shown = await startWithConsole({ config, files: { ...CONSOLE_FILES, ...ENTRY_FILES, ...PANE_PLUGIN } });
  });
  after(() => shown.close());

  const list = async (): Promise<readonly Shown[]> =>
    (await shown.call<{ readonly requests: Shown[] }>('requests')).body.requests;
  const clear = (): Promise<unknown> => shown.call('clear', 'POST');
  /** The record of the request that `work` sends: it is written once the response was sent. */
  async function record(work: () => Promise<unknown>): Promise<Shown> {
    const before = (await list()).at(-1)?.number ?? 0;
    await work();
    await waitUntil(async () => ((await list()).at(-1)?.number ?? 0) > before, 'a record');
    const number = (await list()).at(-1)?.number ?? 0;
    return (await shown.call<Shown>(`request?number=${number}`)).body;
  }

  it('shows a request with its statement, types, rows, times and place, and no secret', async () => {
    const seen = await record(() =>
      shown.post(
        '/notes/add?x=1',
        { text: 'hello my-secret-pin', pin: 'my-secret-pin' },
        { headers: { authorization: 'Bearer abc.def' } },
      ),
    );
    expect(seen).to.include({ status: 200, path: '/notes/add', lacks: 'secret' });
    expect(JSON.stringify(seen)).not.to.contain('my-secret-pin');
    expect(JSON.stringify(seen)).not.to.contain('abc.def');
    expect(seen.payload).to.deep.equal({ text: 'hello …', pin: '‹secret›' });
    const [stage] = seen.stages;
    expect(stage).to.include({ key: 'note-add#1', code: null, rows: 1 });
    expect(stage?.sent?.sql).to.contain('INSERT INTO notes');
    expect(stage?.sent?.values).to.include({ '$3 pin': '‹secret›' });
    expect(stage?.place).to.include({ file: 'definitions/note-add.json' });
    expect(stage?.place.link).to.match(/^vscode:\/\/file\/.*note-add\.json:\d+:\d+$/);
    expect(seen.answer).to.have.keys(['id', 'text', 'created_at']);
    expect(seen.obstacle).to.contain('secrets');
  });

  it('shows the beginning of a path that nothing serves', async () => {
    await record(() => shown.post(`/notes/ad/${'x'.repeat(500)}?secret=1`, {}));
    expect((await list()).at(-1)).to.include({ status: 404, path: `/notes/ad/${'x'.repeat(190)}` });
  });

  it('shows a rejection at its rule, and a failure with the message of the database', async () => {
    const rejected = await record(() => shown.post('/notes/add', { text: '' }));
    expect(rejected).to.include({ status: 422 });
    expect(rejected.problem).to.include({ code: 'VAL_PAYLOAD' });
    expect(rejected.problem?.place.file).to.equal('definitions/note-add.json');
    await shown.post('/notes/add', { text: 'one' });
    const listed = await record(() => shown.post('/notes/list', {}));
    expect(listed.stages[0]?.sent?.sql).to.contain('SELECT id, text');
    expect(listed.answer).to.have.lengthOf(listed.stages[0]?.rows ?? 0);
    const failed = await record(() => shown.post('/notes/divide', { by: 0 }));
    expect(failed.stages[0]?.code).to.equal(failed.problem?.code);
    expect(failed.problem?.cause).to.contain('division by zero');
    expect(failed.stages[0]?.sent?.values).to.deep.equal({ '$1 by': 0 });
  });

  it('records within its bounds, and deletes records on request', async () => {
    for (let i = 0; i < 25; i++) await shown.post('/notes/list', {});
    await waitUntil(async () => (await list()).length === 20, '20 records');
    await clear();
    expect(await list()).to.deep.equal([]);
  });

  it('sends events, and ends the stream when it closes', async () => {
    const events: string[] = [];
    const sent = openRequest(`${shown.url}/console/events`, { headers: { authorization: `Bearer ${shown.token}` } });
    const ended = new Promise<void>((resolve) => {
      sent.on('response', (response) => {
        response.on('data', (chunk: Buffer) => events.push(chunk.toString()));
        response.on('close', resolve);
      });
    });
    sent.end();
    await waitUntil(() => events.length > 0, 'the stream');
    await shown.post('/notes/list', {});
    await waitUntil(() => events.join('').includes('"path":"/notes/list"'), 'an event');
    sent.destroy();
    await ended;
  });

  it('returns a request to send again, and a curl command', async () => {
    const { number } = await record(() => shown.post('/notes/add', { text: "it's" }, { headers: { 'x-trace': 'a' } }));
    const { body: replay } = await shown.call<{
      path: string;
      method: string;
      headers: Record<string, string>;
      body: string;
    }>(`replay?number=${number}`, 'POST');
    expect(replay).to.deep.equal({
      method: 'POST',
      path: '/notes/add',
      headers: { 'x-trace': 'a', 'content-type': 'application/json' },
      body: '{"text":"it\'s"}',
    });
    const { body: curl } = await shown.call<{ text: string }>(`curl?number=${number}`);
    expect(curl.text).to.contain(`-d '{"text":"it'\\''s"}'`).and.contain(`${shown.url}/notes/add`);
    expect((await shown.call('replay?number=9999999', 'POST')).status).to.equal(404);
  });

  it('writes a test that passes, and explains why it writes none', async () => {
    const { number } = await record(() => shown.post('/notes/add', { text: 'to be kept' }));
    const { status, body } = await shown.call<{ readonly file: string; readonly message: string }>(
      `save?number=${number}`,
      'POST',
    );
    expect([status, body.file], body.message).to.deep.equal([200, 'definitions/note-add-recorded-1.test.json']);
    const text = await readFile(join(shown.started.project.folder, body.file), 'utf8');
    const { cases } = JSON.parse(text) as { readonly cases: readonly { readonly steps: readonly unknown[] }[] };
    expect(cases.map(({ steps }) => steps)).to.deep.equal([
      [
        {
          request: { resource: 'note-add', path: '/notes/add', body: { text: 'to be kept' } },
          expect: {
            status: 200,
            body: { id: { $any: 'ulid' }, text: 'to be kept', created_at: { $any: 'timestamp' } },
          },
        },
      ],
    ]);
    // The row refers to one of a table that the resource does not use, and has a secret that no file may contain.
    const { body: note } = await shown.post<{ id: string }>('/notes/add', { text: 'referred to' });
    await shown.post('/entries-add', { id: 1, note: note.id, code: 'swordfish' });
    const entry = await record(() => shown.post('/entries-read', { id: 1 }));
    const { body: written } = await shown.call<{ readonly file: string }>(`save?number=${entry.number}`, 'POST');
    const saved = await readFile(join(shown.started.project.folder, written.file), 'utf8');
    expect(saved.replaceAll(/\s+/g, ' '))
      .to.contain(`"body": { "id": 1, "note": "${note.id}" }`)
      .and.contain('"code": "code 0"')
      .and.not.contain('swordfish');
    const secret = await record(() => shown.post('/notes/add', { text: 'a', pin: 'notes' }));
    expect(secret).to.include({ path: '/notes/add', lacks: 'secret' });
    const refused = await shown.call<{ readonly message: string }>(`save?number=${secret.number}`, 'POST');
    expect([refused.status, refused.body.message]).to.deep.equal([
      409,
      'The request had secrets, which are not recorded.',
    ]);
  });

  it('reads rows page by page, in order and filtered, and not by a secret', async () => {
    interface Rows {
      readonly rows: readonly { readonly text: string; readonly pin: string }[];
      readonly columns: readonly { readonly name: string; readonly isOpen: boolean; readonly references: unknown }[];
      readonly hasMore: boolean;
    }
    for (let i = 0; i < 60; i++) await shown.post('/notes/add', { text: `row ${100 + i}`, pin: '1234567' });
    const read = (query: string) => shown.call<Rows & { readonly message?: string }>(`data?table=notes&${query}`);
    const { body: first } = await read('sort=-text&column=text&contains=ROW');
    expect(first.rows.length).to.equal(50);
    expect(first.rows[0]).to.include({ text: 'row 159', pin: '‹secret›' });
    expect(first.hasMore).to.equal(true);
    const { body: last } = await read('sort=-text&column=text&contains=ROW&page=1');
    expect([last.rows.length, last.rows[9]?.text, last.hasMore]).to.deep.equal([10, 'row 100', false]);
    expect((await read('column=text&equals=row+101')).body.rows.length).to.equal(1);
    expect((await read("column=text&contains='; DROP TABLE notes --")).body.rows).to.deep.equal([]);
    for (const query of ['sort=pin', 'column=pin&contains=1', 'sort=id"', 'sort=nothing'])
      expect((await read(query)).status, query).to.equal(400);
    expect((await shown.call('data?table=pg_authid')).status).to.equal(404);
  });

  it('shows definitions with their plans, schedules, jobs and figures', async () => {
    const read = async (id: string) =>
      (await shown.call<{ readonly content: Record<string, readonly Record<string, unknown>[]> }>(`pane?id=${id}`)).body
        .content;
    expect((await read('definitions'))['resources']?.map(({ id }) => id)).to.include.members(['note-add', 'note-list']);
    expect((await read('data'))['tables']?.map(({ table }) => table)).to.have.members(['_author', 'entries', 'notes']);
    const figures = (await read('metrics'))['resources']?.find(({ resource }) => resource === 'note-add');
    expect(figures?.['count']).to.be.greaterThan(60);
    expect((await read('jobs'))['jobs']).to.deep.equal([]);
    expect((await read('schedules'))['schedules']).to.deep.equal([]);
    const { body } = await shown.call<{ readonly plan: { readonly id: string } }>('definition?id=note-add');
    expect(body.plan.id).to.equal('note-add');
    expect((await read('generator:COUNTED'))['made']?.length).to.equal(1);
    for (const path of ['pane?id=other', 'definition?id=other', 'job?id=other'])
      expect((await shown.call(path)).status, path).to.equal(404);
  });

  it('serves its page without inline code and without foreign resources', async () => {
    const { status, headers, text } = await shown.request('GET', '/console');
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).to.contain("script-src 'self'").and.not.contain('unsafe');
    expect(text).not.to.match(/<script(?![^>]*src=)|<style|\son\w+=|https?:/);
    for (const name of [
      'app.js',
      'dom.js',
      'requests.js',
      'panes.js',
      'data.js',
      'definitions.js',
      'style.css',
      'icon.svg',
    ])
      expect((await shown.request('GET', `/console/${name}`)).status, name).to.equal(200);
    for (const name of ['..%2fpackage.json', 'index.html', 'constructor', ''])
      expect((await shown.request('GET', `/console/${name}`)).status, name).to.be.oneOf([401, 404]);
  });

  describe('access', () => {
    const exchange = async (head: string): Promise<number> => {
      const text = await shown.raw(`${head}\r\nconnection: close\r\n\r\n`);
      return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
    };
    const host = (): string => new URL(shown.url).host;
    const bearer = (): string => `authorization: Bearer ${shown.token}`;

    it('rejects requests without the token', async () => {
      for (const path of ['/console/api/requests', '/console/events', '/console/api/state'])
        expect((await shown.request('GET', path)).status, path).to.equal(401);
      const wrong = { authorization: `Bearer ${'x'.repeat(43)}` };
      expect((await shown.request('GET', '/console/api/requests', { headers: wrong })).status).to.equal(401);
      expect((await shown.request('POST', '/console/session', { headers: wrong })).status).to.equal(401);
      expect((await shown.request('GET', '/console?key=wrong')).headers.get('set-cookie')).to.equal(null);
    });

    it('creates a session for the own page after the URL with the token was opened', async () => {
      const opened = await fetch(`${shown.url}/console?key=${shown.token}`, { redirect: 'manual' });
      expect([opened.status, opened.headers.get('location')]).to.deep.equal([303, '/console']);
      const [cookie = '', ...rest] = (opened.headers.get('set-cookie') ?? '').split('; ');
      expect(rest).to.have.members(['Path=/console', 'HttpOnly', 'SameSite=Strict']);
      expect(cookie).not.to.contain(shown.token);
      const sendRequest = (headers: Readonly<Record<string, string>>, method = 'GET', path = 'api/requests') =>
        shown.request(method, `/console/${path}`, { headers: { cookie, ...headers } }).then(({ status }) => status);
      expect(await sendRequest({})).to.equal(200);
      expect(await sendRequest({ origin: 'http://evil.example' })).to.equal(403);
      expect(await sendRequest({ origin: 'null' })).to.equal(403);
      expect(await sendRequest({ 'sec-fetch-site': 'cross-site' })).to.equal(403);
      expect(await sendRequest({}, 'POST', 'api/clear')).to.equal(403);
      expect(await sendRequest({ 'x-lintel-console': '1' }, 'POST', 'api/clear')).to.equal(200);
    });

    it('rejects other host names of the machine, and requests through a proxy', async () => {
      const head = 'GET /console/api/requests HTTP/1.1\r\n';
      expect(await exchange(`${head}host: ${host()}\r\n${bearer()}`)).to.equal(200);
      for (const name of [
        'evil.example',
        `evil.example:${new URL(shown.url).port}`,
        '192.168.0.7',
        '127.0.0.1.evil.example',
      ])
        expect(await exchange(`${head}host: ${name}\r\n${bearer()}`), name).to.equal(421);
      expect(await exchange(`${head}host: ${host()}\r\nx-forwarded-for: 127.0.0.1\r\n${bearer()}`)).to.equal(421);
    });
  });
});
