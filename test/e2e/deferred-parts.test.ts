/**
 * Deferred work in the kernel: what a request accepts, the job payload, the input of a run, and scheduled work. The
 * queue is a third-party plugin that only records.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Outcome, JobEntry, RuntimeServices } from '../../contract/deferred.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES } from '../support/project.js';

interface Behind {
  readonly puts: (JobEntry & { readonly inUnit: boolean })[];
  readonly state: { full: boolean; readonly running: RuntimeServices };
}

const importBehind = async (): Promise<Behind> =>
  (await import(pathToFileURL(join(PLUGIN_FIXTURES, 'behind', 'runtime.js')).href)) as Behind;

const MODEL = {
  'definitions/_notes.model.json': {
    id: { type: 'String', primary_key: true },
    text: { type: 'String' },
    at: { type: 'DateTime', optional: true },
  },
};

const insert = (id: number, parameters: readonly unknown[], rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: 'INSERT INTO notes (id, text, at) VALUES ($1, $2, $3)', parameters },
  ...rest,
});

const never = new AbortController().signal;

describe('deferred parts of a resource', () => {
  let kernel: TestKernel;
  let queue: Behind;

  const start = async (resources: Readonly<Record<string, object>>): Promise<void> => {
    const files = Object.fromEntries(
      Object.entries(resources).map(([id, body]) => [`definitions/${id}.json`, { id, resource: id, ...body }]),
    );
    kernel = await startKernel({
      files: {
        ...MODEL,
        ...files,
        'definitions/all.json': {
          id: 'all',
          resource: 'all',
          actionables: [
            {
              id: 1,
              mode: 'QUERY',
              result: 'many',
              sql_query: { query: 'SELECT id, text, at FROM notes ORDER BY id', parameters: [] },
            },
          ],
        },
      },
      config: {
        plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'behind')],
        connections: { main: { use: 'pglite', path: 'memory://' } },
      },
    });
  };
  const rows = async (): Promise<Record<string, unknown>[]> =>
    (await kernel.post('/all')).body as unknown as Record<string, unknown>[];
  const resume = (put: JobEntry | undefined, attempt = 1): Promise<Outcome> => {
    if (put === undefined) throw new Error('nothing was put off');
    return queue.state.running.runJob(put.work, attempt, never);
  };

  beforeEach(async () => {
    queue = await importBehind();
    queue.puts.length = 0;
    queue.state.full = false;
  });
  afterEach(() => kernel.close());

  it('are accepted with 202 if the resource defers them, and run when resumed', async () => {
    await start({
      note: { behind: { after: 3 }, actionables: [insert(1, ['$PAYLOAD.id', '$PAYLOAD.text', '$DATETIME'])] },
    });
    const answer = await kernel.post('/note', { id: 'a', text: 'hello', other: 'is not read' });
    expect(answer.status).to.equal(202);
    expect(answer.body).to.deep.equal({ accepted: true, id: answer.headers.get('x-request-id') });
    expect(await rows()).to.deep.equal([]);
    const [put] = queue.puts;
    expect(put).to.deep.include({ delay: 3, priority: 0, retries: 4, inUnit: false });
    expect(put?.work).to.deep.include({ id: answer.body['id'], resource: 'note', part: 'note#1' });
    expect(put?.work.state.payload).to.deep.equal({ id: 'a', text: 'hello' });
    expect(await resume(put)).to.deep.equal({ done: true });
    const [row] = await rows();
    expect(row).to.deep.equal({ id: 'a', text: 'hello', at: new Date(put?.work.acceptedAt ?? 0).toISOString() });
  });

  it('are one part if the resource defers them, also with independent actionables', async () => {
    const note = (key: number, id: string) => insert(key, [id, '$PAYLOAD.text', '$DATETIME']);
    await start({ note: { behind: { after: 0 }, actionables: [note(1, '$PAYLOAD.id'), note(2, '$PAYLOAD.other')] } });
    await kernel.post('/note', { id: 'a', other: 'b', text: 'hello' });
    expect(queue.puts.map(({ work }) => work.part)).to.deep.equal(['note#2']);
    expect(await resume(queue.puts[0])).to.deep.equal({ done: true });
    expect((await rows()).map(({ id }) => id)).to.deep.equal(['a', 'b']);
  });

  it('have the response of the other actionables, and join their transaction', async () => {
    await start({
      note: {
        actionables: [
          insert(1, ['$PAYLOAD.id', '$PAYLOAD.text', '$DATETIME'], {
            sql_query: {
              query: 'INSERT INTO notes (id, text) VALUES ($1, $2) RETURNING id, text',
              parameters: ['id', 'text'],
            },
            extract_response_for: [{ extract: 'id', for: 'first' }],
          }),
          insert(2, ['$GENERATOR.ULID', '$PAYLOAD.first', '$DATETIME'], { behind: { after: 0 } }),
        ],
      },
    });
    const answer = await kernel.post('/note', { id: 'a', text: 'hello' });
    expect([answer.status, answer.body]).to.deep.equal([200, { id: 'a', text: 'hello' }]);
    expect(queue.puts).to.have.length(1);
    expect(queue.puts[0]?.inUnit).to.equal(true);
    expect(queue.puts[0]?.work.state.names).to.deep.equal({ 'note:first': 'a' });
    // The same in every run: the second finds the row of the first.
    expect(await resume(queue.puts[0])).to.deep.equal({ done: true });
    expect(await resume(queue.puts[0], 2)).to.deep.include({ done: false, code: 'QRY_UNIQUE', retryable: false });
    expect((await rows()).map(({ text }) => text)).to.have.members(['hello', 'a']);
  });

  it('store no rows when the queue rejects them, and no job when the transaction fails', async () => {
    await start({
      note: {
        actionables: [
          insert(1, ['$PAYLOAD.id', '$PAYLOAD.text', '$DATETIME']),
          insert(2, ['$PAYLOAD.id', '$PAYLOAD.text', '$DATETIME'], { behind: { after: 0 } }),
        ],
      },
    });
    queue.state.full = true;
    expect((await kernel.post('/note', { id: 'a', text: 'x' })).status).to.equal(503);
    expect(await rows()).to.deep.equal([]);
    queue.state.full = false;
    queue.puts.length = 0;
    expect((await kernel.post('/note', { id: 'a', text: 'x' })).status).to.equal(200);
    expect((await kernel.post('/note', { id: 'a', text: 'x' })).status).to.equal(409);
    expect(queue.puts).to.have.length(1);
  });

  it('are rejected before acceptance when a value that they read is missing', async () => {
    await start({
      note: { behind: { after: 0 }, actionables: [insert(1, ['$PAYLOAD.id', '$HEADER.x-tenant', '$DATETIME'])] },
    });
    expect((await kernel.post('/note', { id: 'a' })).status).to.equal(422);
    expect(queue.puts).to.deep.equal([]);
    expect((await kernel.post('/note', { id: 'a' }, { headers: { 'x-tenant': 'blue' } })).status).to.equal(202);
    expect(queue.puts[0]?.work.state.headers).to.deep.equal({ 'x-tenant': 'blue' });
    expect(await resume(queue.puts[0])).to.deep.equal({ done: true });
    expect((await rows())[0]?.['text']).to.equal('blue');
  });

  it('are rejected before acceptance when the payload lacks a field that they read, unless the field is optional', async () => {
    const defineReading = (rest: object = {}): object => ({
      behind: { after: 0 },
      actionables: [insert(1, ['$PAYLOAD.id', '$PAYLOAD.text', '$DATETIME'], rest)],
    });
    const rules = {
      payload_validation: [{ field: { id: { type: 'STRING' }, text: { type: 'STRING', optional: true } } }],
    };
    await start({ strict: defineReading(), lenient: defineReading(rules) });
    const rejected = await kernel.post('/strict', { id: 'a' });
    expect([rejected.status, rejected.body['code']]).to.deep.equal([422, 'ACC_UNRESOLVED']);
    expect(queue.puts).to.deep.equal([]);
    expect((await kernel.post('/lenient', { id: 'a' })).status).to.equal(202);
    expect(queue.puts).to.have.length(1);
  });

  it('have the files that were stored for the request', async () => {
    await start({
      photos: {
        actionables: [
          {
            id: 1,
            mode: 'UPLOAD',
            uploads: { upload_folder: 'photos', allowed_mimetypes: ['image/png'] },
            returnables: ['storage_key'],
          },
          insert(2, ['$GENERATOR.ULID', 'storage_key', '$DATETIME'], {
            behind: { after: 0 },
            sql_query: {
              query: 'INSERT INTO notes (id, text, at) VALUES ($1, $2, $3)',
              parameters: ['$GENERATOR.ULID', 'storage_key', '$DATETIME'],
              multi: true,
            },
          }),
        ],
      },
    });
    const form = new FormData();
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    form.append('file', new Blob([png], { type: 'image/png' }), 'dot.png');
    const answer = await fetch(`${kernel.url}/photos`, { method: 'POST', body: form });
    const [file] = (await answer.json()) as { storage_key: string }[];
    expect(answer.status).to.equal(200);
    expect(await resume(queue.puts[0])).to.deep.equal({ done: true });
    expect((await rows()).map(({ text }) => text)).to.deep.equal([file?.storage_key]);
  });

  it('run under newer definitions, unless these read something else or no longer contain them', async () => {
    const write = (parameters: readonly string[], rest: object = { behind: { after: 0 } }): object => ({
      id: 'note',
      resource: 'note',
      actionables: [insert(1, parameters)],
      ...rest,
    });
    await start({ note: write(['$PAYLOAD.id', '$PAYLOAD.text', '$DATETIME']) });
    await kernel.post('/note', { id: 'a', text: 'x' });
    const reload = async (definition: object): Promise<void> => {
      await kernel.project.write('definitions/note.json', definition);
      expect((await kernel.kernel.reload()).applied).to.equal(true);
    };
    await reload(write(['$PAYLOAD.id', '$PAYLOAD.other', '$DATETIME']));
    expect(await resume(queue.puts[0])).to.deep.include({ done: false, code: 'JOB_CHANGED', retryable: true });
    await reload(write(['$PAYLOAD.id', '$PAYLOAD.text', '$DATETIME'], {}));
    expect(await resume(queue.puts[0])).to.deep.include({ done: false, code: 'JOB_UNKNOWN', retryable: true });
    await reload(write(['$PAYLOAD.text', '$PAYLOAD.id', '$DATETIME']));
    expect(await resume(queue.puts[0])).to.deep.equal({ done: true });
    expect((await rows())[0]).to.deep.include({ id: 'x', text: 'a' });
  });

  it('start nothing more once their lease is lost', async () => {
    await start({
      note: { behind: { after: 0 }, actionables: [insert(1, ['$PAYLOAD.id', '$PAYLOAD.text', '$DATETIME'])] },
    });
    await kernel.post('/note', { id: 'a', text: 'x' });
    const work = queue.puts[0]?.work;
    const outcome = work && (await queue.state.running.runJob(work, 1, AbortSignal.abort()));
    expect(outcome).to.deep.include({ done: false, code: 'JOB_STOPPED', retryable: true });
    expect(await rows()).to.deep.equal([]);
  });

  it('are started by the scheduler, and by no request', async () => {
    await start({
      tidy: {
        actionables: [
          insert(1, ['$GENERATOR.ULID', { literal: 'tidied' }, '$DATETIME'], { behind: { clock: '0 0 0 * * *' } }),
        ],
      },
    });
    expect((await kernel.post('/tidy')).status).to.equal(404);
    const [schedule] = queue.state.running.schedules();
    expect(schedule).to.deep.equal({ key: 'tidy#1', resource: 'tidy', expression: '0 0 0 * * *', zone: null });
    const instant = Date.parse('2026-03-01T00:00:00Z');
    expect(schedule && (await queue.state.running.runSchedule(schedule, 'tidy#1@x', instant, never))).to.deep.equal({
      done: true,
    });
    expect((await rows()).map(({ text, at }) => [text, at])).to.deep.equal([['tidied', '2026-03-01T00:00:00.000Z']]);
  });
});
