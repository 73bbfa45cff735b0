/** The debugger on servers of each kind: statements and documents, rows in and out of a transaction, a client that is cut off. */
import { expect } from 'chai';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { listenForDebugger, type DebugListener } from '../../cli/debug/listener.js';
import {
  defineDocumentResource,
  describeOnEach,
  SQL,
  STORES,
  type ConfigAt,
  type Database,
} from '../support/databases.js';
import { createDebugClient, type DebugClient, type StoppedThread } from '../support/debug-client.js';
import type { TestKernel } from '../support/kernel.js';
import { defineQueryResource } from '../support/project.js';

const MOVE = 'definitions/move.json';
const LIST = 'definitions/list.json';
/** An object on each line: the first is at line 1, the second at line 2. */
const writeLines = (id: string, actions: readonly object[]): string =>
  `{ "id": "${id}", "resource": "${id}", "actionables": [${actions.map((one) => `\n${JSON.stringify(one)}`).join(',')}\n] }`;
const change = (id: number, sign: string, owner: number): object => ({
  ...{ id, mode: 'QUERY', payload_validation: [{ field: { amount: { type: 'NUMBER' } } }] },
  sql_query: { query: `UPDATE accounts SET balance = balance ${sign} $1 WHERE id = ${owner}`, parameters: ['amount'] },
});
const SQL_FILES = {
  'definitions/_account.json': { id: { type: 'Number', primary_key: true }, balance: { type: 'Number' } },
  'definitions/fill.json': defineQueryResource(
    'fill',
    'INSERT INTO accounts (id, balance) VALUES (1, 100), (2, 0)',
    [],
  ),
  [MOVE]: writeLines('move', [change(1, '-', 1), change(2, '+', 2)]),
  [LIST]: writeLines('list', [
    { id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id, balance FROM accounts ORDER BY id' } },
  ]),
};

interface Session {
  readonly debug: DebugClient;
  readonly readScope: (stopped: StoppedThread, name: string) => Promise<Record<string, string>>;
  readonly evaluate: (expression: string, stopped: StoppedThread) => Promise<string>;
  readonly resume: (stopped: StoppedThread) => Promise<unknown>;
}

/** A client that stops at one line. */
async function attach({ project }: TestKernel, { port }: DebugListener, file: string, line: number): Promise<Session> {
  const { token } = JSON.parse(await readFile(join(project.folder, '.lintel/debug.json'), 'utf8')) as { token: string };
  const socket = connect(port, '127.0.0.1');
  const ended = new Promise<number>((done) => void socket.on('close', () => done(0)));
  const debug = createDebugClient({ input: socket, output: socket, ended });
  await debug.start('attach', { token }, { [join(project.folder, file)]: [{ line }] });
  const listVariables = async (reference: number): Promise<readonly DebugProtocol.Variable[]> =>
    (await debug.request<DebugProtocol.VariablesResponse['body']>('variables', { variablesReference: reference }))
      .variables;
  return {
    debug,
    async readScope({ frames }, name) {
      const { scopes } = await debug.request<DebugProtocol.ScopesResponse['body']>('scopes', {
        frameId: frames[0]?.id,
      });
      const scope = scopes.find((one) => one.name === name);
      const found: Record<string, string> = {};
      const collect = async (reference: number, before: string): Promise<void> => {
        for (const one of await listVariables(reference)) {
          found[`${before}${one.name}`] = one.value;
          if (one.variablesReference > 0) await collect(one.variablesReference, `${before}${one.name}.`);
        }
      };
      await collect(scope?.variablesReference ?? 0, '');
      return found;
    },
    async evaluate(expression, { frames }) {
      const sent = { expression, frameId: frames[0]?.id };
      return debug.request<DebugProtocol.EvaluateResponse['body']>('evaluate', sent).then(
        async ({ result, variablesReference }) => {
          const [row] = variablesReference > 0 ? await listVariables(variablesReference) : [];
          const cells =
            row === undefined || row.variablesReference === 0 ? [] : await listVariables(row.variablesReference);
          return cells.length === 0 ? result : cells.map(({ value }) => value).join();
        },
        (error: Error) => error.message,
      );
    },
    resume: ({ thread }) => debug.request('continue', { threadId: thread }),
  };
}

/** One connection, so that one which is not returned is noticed. */
const withOneConnection = <Name extends string>(all: readonly Database<Name>[], wanted: RegExp): Database<Name>[] =>
  all
    .filter(({ name }) => wanted.test(name))
    .map((one) => {
      const config: ConfigAt = (url) => one.config(url, { pool_size: 1, pool_wait: 2 });
      return { ...one, config };
    });

describeOnEach(
  'the debugger',
  withOneConnection(SQL, /^(?:postgres|mysql|mariadb)$/),
  { files: SQL_FILES, dev: true },
  (running, name) => {
    let listener: DebugListener | undefined;
    const balances = async (): Promise<unknown> => (await running().post('/list', {})).body;
    before(async () => {
      listener = await listenForDebugger(running().kernel);
      await running().post('/fill', {});
    });
    after(() => listener?.close());
    const open = (file: string, line: number): Promise<Session> => attach(running(), listener!, file, line);

    it('reads rows in the view of the transaction, which goes on whatever was read', async () => {
      const { debug, evaluate, readScope, resume } = await open(MOVE, 3);
      const answer = running().post('/move', { amount: 5 });
      const stopped = await debug.waitForStop();
      expect(stopped.at).to.equal('move#2 · before');
      const statement = await readScope(stopped, 'Statement');
      expect([statement['values.$1 amount'], statement['connection']]).to.deep.equal(['5', '"main"']);
      expect(await evaluate('SELECT balance FROM accounts WHERE id = 1', stopped)).to.equal('95');
      expect(await evaluate('SELECT nothing FROM accounts', stopped)).to.match(/QRY_FAILED/);
      const locks = name === 'postgres' ? 'SELECT nextval($$a$$)' : "SELECT GET_LOCK('a', 1)";
      for (const one of [locks, 'SELECT 1; SELECT 2', 'WITH x AS (DELETE FROM accounts RETURNING id) SELECT 1 FROM x'])
        expect(await evaluate(one, stopped), one).to.match(/QRY_|One statement/);
      await resume(stopped);
      expect((await answer).status).to.equal(200);
      await debug.request('disconnect');
      expect(await balances()).to.deep.equal([
        { id: 1, balance: 95 },
        { id: 2, balance: 5 },
      ]);
    });

    it('reads rows where no transaction is open, and writes none', async () => {
      const { debug, evaluate, readScope, resume } = await open(LIST, 2);
      const answer = running().post('/list', {});
      const stopped = await debug.waitForStop();
      expect((await readScope(stopped, 'Statement'))['sql']).to.contain('SELECT id, balance');
      expect(await evaluate('SELECT balance FROM accounts WHERE id = 2', stopped)).to.equal('5');
      expect(await evaluate('WITH x AS (DELETE FROM accounts RETURNING id) SELECT 1 FROM x', stopped)).to.contain(
        'confirmation',
      );
      await resume(stopped);
      expect((await answer).status).to.equal(200);
      await debug.request('disconnect');
    });

    it('rolls back and returns the connection when it is cut off in a transaction', async () => {
      const before = await balances();
      const { debug } = await open(MOVE, 3);
      const answer = running().post('/move', { amount: 7 });
      await debug.waitForStop();
      debug.cutOff();
      const { status, body } = await answer;
      expect([status, body['code']]).to.deep.equal([503, 'REQ_DEBUGGER']);
      await debug.ended;
      expect(await balances()).to.deep.equal(before);
    });
  },
);

const NOTE = { collection: '_note' };
const DOCUMENT_FILES = {
  'definitions/_note.json': { text: { type: 'String' }, pin: { type: 'String', secret: true, optional: true } },
  'definitions/notes.json': defineDocumentResource(
    'notes',
    { ...NOTE, action: 'FETCH', filter_predicate: {} },
    { result: 'many' },
  ),
  [MOVE]: writeLines('move', [
    {
      ...{
        id: 1,
        mode: 'QUERY',
        payload_validation: [{ field: { text: { type: 'STRING' }, pin: { type: 'STRING' } } }],
      },
      mongo_query: { ...NOTE, action: 'INSERT', parameters: ['text', 'pin'] },
    },
    {
      ...{ id: 2, mode: 'QUERY' },
      mongo_query: {
        ...{ ...NOTE, action: 'UPDATE', filter_predicate: { text: { $in: ['$1', 'b'] } } },
        ...{ update_predicate: { $set: { text: 'changed' } }, parameters: ['text'] },
      },
    },
    {
      ...{ id: 3, mode: 'QUERY', result: 'many' },
      mongo_query: {
        ...{ ...NOTE, action: 'AGGREGATE', parameters: ['text'] },
        pipeline: [{ $match: { text: '$1' } }, { $count: 'n' }],
      },
    },
  ]),
};

describeOnEach(
  'the debugger',
  withOneConnection(STORES, /^mongodb$/),
  { files: DOCUMENT_FILES, dev: true },
  (running) => {
    it('shows collection, document, filter, update and pipeline; rolls back when it is cut off', async () => {
      const listener = await listenForDebugger(running().kernel);
      try {
        const { debug, readScope, evaluate } = await attach(running(), listener, MOVE, 2);
        const answer = running().post('/move', { text: 'a', pin: '4711-secret' });
        let stopped = await debug.waitForStop();
        const go = async (): Promise<Record<string, string>> => {
          for (const _ of ['after', 'before']) {
            await debug.request('next', { threadId: stopped.thread });
            stopped = await debug.waitForStop();
          }
          return readScope(stopped, 'Statement');
        };
        const inserted = await readScope(stopped, 'Statement');
        expect([inserted['action'], inserted['collection'], inserted['connection']]).to.deep.equal([
          '"INSERT"',
          '"_note"',
          '"main"',
        ]);
        expect([inserted['document.text'], inserted['document.pin']]).to.deep.equal(['"a"', '‹secret›']);
        expect(inserted['isolation']).to.be.a('string');
        expect(await evaluate('SELECT 1', stopped)).to.contain('uses a SQL database');
        const updated = await go();
        expect([updated['filter.text.$in.0'], updated['update.$set.text']]).to.deep.equal(['"a"', '"changed"']);
        expect((await go())['pipeline.0.$match.text.$eq']).to.equal('"a"');
        debug.cutOff();
        const { status, body } = await answer;
        expect([status, body['code']]).to.deep.equal([503, 'REQ_DEBUGGER']);
        await debug.ended;
        expect((await running().post('/notes', {})).body).to.deep.equal([]);
      } finally {
        await listener.close();
      }
    });
  },
);
