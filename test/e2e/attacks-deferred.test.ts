/**
 * Attacks on deferred work: requests whose response cannot be created, stored data of a client, and changed rows of the
 * store. The queue is a third-party plugin that only records.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { DeferredJob, Outcome, JobEntry, RuntimeServices } from '../../contract/deferred.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES } from '../support/project.js';
import { KEY } from '../support/tokens.js';

interface Behind {
  readonly puts: JobEntry[];
  readonly state: { readonly running: RuntimeServices };
}
const importBehind = async (): Promise<Behind> =>
  (await import(pathToFileURL(join(PLUGIN_FIXTURES, 'behind', 'runtime.js')).href)) as Behind;

const query = (id: number, text: string, parameters: readonly unknown[], rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: text, parameters },
  ...rest,
});
const insert = (id: number, parameters: readonly unknown[], rest: object = {}): object =>
  query(id, 'INSERT INTO notes (id, text) VALUES ($1, $2)', parameters, rest);
const later = { behind: { after: 0 } };

const FILES = {
  'definitions/_notes.model.json': { id: { type: 'String', primary_key: true }, text: { type: 'String' } },
  'definitions/all.json': [
    {
      id: 'notes',
      resource: 'notes',
      actionables: [query(1, 'SELECT id, text FROM notes ORDER BY id', [], { result: 'many' })],
    },
    {
      id: 'enter',
      resource: 'enter',
      tokenize: { type: 'JWT', encryption_key: '$ENV.KEY', custom_claim_fields: ['id'] },
      actionables: [
        insert(1, ['$PAYLOAD.visit', { literal: 'came' }]),
        query(2, 'SELECT id FROM notes WHERE id = $1', ['$PAYLOAD.who']),
        insert(3, ['$PAYLOAD.visit', { literal: 'greeted' }], later),
      ],
    },
    {
      id: 'greet',
      resource: 'greet',
      tokenize: { type: 'JWT', encryption_key: '$ENV.KEY', custom_claim_fields: ['id'] },
      actionables: [
        { id: 1, mode: 'RETURN', value: '$PAYLOAD.who' },
        insert(2, ['$PAYLOAD.visit', { literal: 'greeted' }], later),
      ],
    },
    { id: 'note', resource: 'note', ...later, actionables: [insert(1, ['$PAYLOAD.id', '$PAYLOAD.text'])] },
    { id: 'made', resource: 'made', ...later, actionables: [insert(1, ['$GENERATOR.ULID', '$PAYLOAD.text'])] },
    { id: 'from', resource: 'from', ...later, actionables: [insert(1, ['$PAYLOAD.id', '$HEADER.ip'])] },
  ],
};
const never = new AbortController().signal;

describe('attacks on deferred work', () => {
  let kernel: TestKernel;
  let queue: Behind;
  before(async () => {
    queue = await importBehind();
    kernel = await startKernel({
      files: FILES,
      env: { KEY },
      config: {
        plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'behind')],
        connections: { main: { use: 'pglite', path: 'memory://' } },
      },
    });
  });
  after(() => kernel.close());
  beforeEach(() => void (queue.puts.length = 0));
  const notes = async (): Promise<string> =>
    ((await kernel.post('/notes')).body as unknown as { id: string; text: string }[])
      .map(({ id, text }) => `${id} ${text}`)
      .join();
  const resume = (work: unknown): Promise<Outcome> => queue.state.running.runJob(work as DeferredJob, 1, never);

  describe('request whose response cannot be created', () => {
    it('stores no work and no row of its transaction', async () => {
      const rejected = await kernel.post('/enter', { visit: 'v1', who: 'nobody' });
      expect([rejected.status, rejected.body['code']]).to.deep.equal([401, 'TOK_NO_SUBJECT']);
      expect(queue.puts).to.deep.equal([]);
      expect(await notes()).not.to.contain('v1');
      const entered = await kernel.post('/enter', { visit: 'v1', who: 'v1' });
      expect(entered.status).to.equal(200);
      expect(entered.body['token']).to.be.a('string');
      expect(queue.puts).to.have.length(1);
      expect(await notes()).to.contain('v1 came');
    });

    it('stores no work without a transaction', async () => {
      const rejected = await kernel.post('/greet', { visit: 'v2', who: 'no row' });
      expect(rejected.body['code']).to.equal('TOK_NOT_OBJECT');
      expect(queue.puts).to.deep.equal([]);
      expect((await kernel.post('/greet', { visit: 'v2', who: { id: 'ada' } })).status).to.equal(200);
      expect(queue.puts).to.have.length(1);
    });
  });

  it('stores the address of a client only for work that reads it', async () => {
    await kernel.post('/note', { id: 'a', text: 'x' });
    await kernel.post('/from', { id: 'b' });
    expect(queue.puts.map(({ work }) => work.state.remote)).to.deep.equal(['', '127.0.0.1']);
    expect(JSON.stringify(queue.puts[0])).not.to.contain('127.0.0.1');
    expect(await resume(queue.puts[1]?.work)).to.deep.equal({ done: true });
    expect(await notes()).to.contain('b 127.0.0.1');
  });

  describe('changed row of a stored job', () => {
    const acceptWork = async (path: string, body: object): Promise<DeferredJob> => {
      expect((await kernel.post(path, body)).status).to.equal(202);
      const [put] = queue.puts;
      if (put === undefined) throw new Error('nothing was put off');
      return put.work;
    };

    it('becomes a dead job immediately if it is invalid, and stops no other work', async () => {
      const work = await acceptWork('/note', { id: 'c', text: 'x' });
      const { state } = work;
      const broken: readonly unknown[] = [
        null,
        7,
        [],
        {},
        { ...work, id: 7 },
        { ...work, id: 'a\r\nx-admin: 1' },
        { ...work, id: 'x'.repeat(2000) },
        { ...work, resource: ['note'] },
        { ...work, acceptedAt: null },
        { ...work, acceptedAt: 1e300 },
        { ...work, state: null },
        { ...work, state: [] },
        { ...work, state: { ...state, payload: 'text' } },
        { ...work, state: { ...state, payload: null } },
        { ...work, state: { ...state, claims: 'admin' } },
        { ...work, state: { ...state, headers: null } },
        { ...work, state: { ...state, headers: { host: { a: 1 } } } },
        { ...work, state: { ...state, names: null } },
        { ...work, state: { ...state, results: undefined } },
        { ...work, state: { ...state, made: { length: 1 } } },
        { ...work, state: { ...state, made: [[1.5, 'x']] } },
        { ...work, state: { ...state, made: [[['a'], 'x']] } },
        { ...work, state: { ...state, made: [[0, { toString: 'x' }]] } },
        JSON.parse(JSON.stringify(work).replace('"payload":{', '"payload":{"__proto__":{"admin":true},')),
        JSON.parse(JSON.stringify(work).replace('"payload":{', '"payload":{"a":[{"constructor":{"prototype":1}}],')),
      ];
      for (const row of broken)
        expect(await resume(row), JSON.stringify(row)?.slice(0, 300)).to.deep.include({
          done: false,
          code: 'JOB_BROKEN',
          retryable: false,
        });
      expect((await kernel.post('/notes')).status).to.equal(200);
      expect(await resume(work)).to.deep.equal({ done: true });
    });

    it('runs only parts of definitions', async () => {
      const work = await acceptWork('/note', { id: 'd', text: 'x' });
      for (const resource of ['__proto__', 'constructor', 'notes', 'toString', ''])
        expect(await resume({ ...work, resource }), resource).to.deep.include({ code: 'JOB_UNKNOWN' });
      for (const part of ['notes#1', '__proto__', 'note#2', ''])
        expect(await resume({ ...work, part }), part).to.deep.include({ code: 'JOB_UNKNOWN' });
      expect(await resume({ ...work, needs: 'ffffffffffffffff' })).to.deep.include({ code: 'JOB_CHANGED' });
    });

    it('contains values only, never SQL or an accessor', async () => {
      const work = await acceptWork('/note', { id: 'e', text: 'x' });
      for (const [id, text] of [
        ['e1', "'); DROP TABLE notes; --"],
        ['e2', '$ENV.KEY'],
        ['e3', '{"$ne":null}'],
      ])
        expect(await resume({ ...work, state: { ...work.state, payload: { id, text } } })).to.deep.equal({
          done: true,
        });
      expect(await notes()).to.contain('e1 \'); DROP TABLE notes; --,e2 $ENV.KEY,e3 {"$ne":null}');
    });

    it('contains generated values only if the work generates some', async () => {
      const work = await acceptWork('/made', { text: 'x' });
      const { made } = work.state;
      expect(made).to.have.length(1);
      const more = Array.from({ length: 50 }, (_, slot) => [slot, 'planted']);
      const asked = { ...work, state: { ...work.state, made: [...more, ...made] } };
      expect(await resume(asked)).to.deep.equal({ done: true });
      expect(await notes())
        .to.contain(`${made[0]?.[1]} x`)
        .and.not.contain('planted');
    });
  });
});
