/** The debugger on servers of each kind: statements and documents, rows in and out of a transaction, a client that is cut off. Rows in the console. */
import { expect } from 'chai';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { changeRow, type RequestedChange } from '../../cli/console/change-row.js';
import { readTable } from '../../cli/console/data.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
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
const move = (id: number, sign: string, owner: number): object => ({
  ...{ id, mode: 'QUERY', payload_validation: [{ field: { amount: { type: 'NUMBER' } } }] },
  sql_query: { query: `UPDATE accounts SET balance = balance ${sign} $1 WHERE id = ${owner}`, parameters: ['amount'] },
});
const SQL_FILES = {
  'definitions/_account.json': { id: { type: 'Number', primary_key: true }, balance: { type: 'Number' } },
  'definitions/_entry.json': {
    id: { type: 'Number', primary_key: true },
    account: { type: 'Number', foreign_key: { of: '_account', key: 'id' } },
    text: { type: 'String', max_length: 20, unique: true },
    tags: { type: 'JSON_OBJECT', optional: true },
    at: { type: 'DateTime', optional: true },
    pin: { type: 'String', optional: true, secret: true },
  },
  'definitions/entry.json': defineQueryResource('entry', 'SELECT id FROM entries WHERE account = $1', ['account']),
  'definitions/fill.json': defineQueryResource(
    'fill',
    'INSERT INTO accounts (id, balance) VALUES (1, 100), (2, 0)',
    [],
  ),
  [MOVE]: writeLines('move', [move(1, '-', 1), move(2, '+', 2)]),
  [LIST]: writeLines('list', [
    { id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id, balance FROM accounts ORDER BY id' } },
  ]),
};

type Row = Readonly<Record<string, unknown>>;
interface Outcome {
  readonly message?: string;
  readonly done: boolean;
  readonly violations: readonly { readonly column: string | null; readonly message: string }[];
  readonly effects: readonly string[];
}
const readRows = async (kernel: Kernel, query: Readonly<Record<string, string>>): Promise<readonly Row[]> => {
  const { body } = await readTable(kernel, new URLSearchParams(query));
  return (body as { readonly rows?: readonly Row[] }).rows ?? [body as Row];
};
const change = async (
  { kernel }: TestKernel,
  asked: Pick<RequestedChange, 'kind' | 'table'> & Partial<RequestedChange>,
  isConfirmed = true,
): Promise<Outcome> =>
  (await changeRow(kernel, { store: null, key: {}, values: {}, ...asked }, isConfirmed)).body as Outcome;
const listColumns = ({ violations, message }: Outcome): unknown => message ?? violations.map(({ column }) => column);

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
const withOneConnection = <Name extends string>(all: readonly Database<Name>[]): Database<Name>[] =>
  all.map((one) => {
    const config: ConfigAt = (url) => one.config(url, { pool_size: 1, pool_wait: 2 });
    return { ...one, config };
  });

describeOnEach('the debugger', withOneConnection(SQL), { files: SQL_FILES, dev: true }, (running, name) => {
  let listener: DebugListener | undefined;
  const balances = async (): Promise<unknown> => (await running().post('/list', {})).body;
  before(async () => {
    listener = await listenForDebugger(running().kernel, 'dev');
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
    const derived = "SELECT coalesce(max(pin), 'none') || '!' AS p FROM entries";
    expect(await evaluate(derived, stopped)).to.equal('‹secret›');
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

  it('rows in the console: filtered, sorted, changed only where nothing is violated', async () => {
    const { kernel } = running();
    const table = 'entries';
    const insert = (values: RequestedChange['values'], isConfirmed = true): Promise<Outcome> =>
      change(running(), { kind: 'insert', table, values }, isConfirmed);
    const first = { id: '1', account: '1', text: 'An "entry"', tags: '{"a":"1"}', at: '2026-01-31T12:00:00Z' };
    expect(await insert(first, false)).to.deep.equal({ done: false, violations: [], effects: [] });
    expect(await readRows(kernel, { table })).to.deep.equal([]);
    expect((await insert(first)).done).to.equal(true);
    expect((await insert({ id: '2', account: '2', text: 'b' })).done).to.equal(true);
    expect((await insert({ ...first, text: 'c' })).violations[0]?.message).to.match(/duplicate|taken/);
    expect(listColumns(await insert({ ...first, pin: '1' }))).to.contain('"pin" cannot be changed');
    const [found] = await readRows(kernel, { table, column: 'text', contains: 'ENTRY' });
    expect(found).to.include({ id: 1, text: 'An "entry"', pin: null });
    expect(found?.['tags']).to.deep.equal({ a: '1' });
    const ids = async (query: object): Promise<unknown> =>
      (await readRows(kernel, { table, ...query })).map(({ id }) => id);
    expect(await ids({ sort: '-text' })).to.deep.equal([2, 1]);
    expect(await ids({ column: 'account', equals: '2' })).to.deep.equal([2]);
    expect(await ids({ page: '1' })).to.deep.equal([]);
    const update = (key: number, values: RequestedChange['values']): Promise<Outcome> =>
      change(running(), { kind: 'update', table, key: { id: key }, values });
    expect(listColumns(await update(2, { account: '7', text: null }))).to.deep.equal(['account', 'text']);
    expect(listColumns(await update(2, { text: first.text }))).to.deep.equal(['text']);
    expect((await update(9, { text: 'd' })).violations[0]?.message).to.equal('0 rows have this key.');
    expect((await update(2, { text: 'd', tags: '[]' })).done).to.equal(true);
    expect(await ids({ column: 'text', equals: 'd' })).to.deep.equal([2]);
    const remove = await change(running(), { kind: 'delete', table: 'accounts', key: { id: 2 } });
    expect(remove.effects).to.deep.equal(['1 rows of "entries" refer to it by "account".']);
    expect(remove.violations[0]?.message).to.match(/foreign key|referred to/);
    expect((await change(running(), { kind: 'delete', table, key: { id: 2 } })).done).to.equal(true);
    expect(await ids({})).to.deep.equal([1]);
  });
});

const NOTE = { collection: '_note' };
const DOCUMENT_FILES = {
  'definitions/_note.json': {
    text: { type: 'String', max_length: 20, unique: true },
    pin: { type: 'String', secret: true, optional: true },
    on: { type: 'String', optional: true, foreign_key: { of: '_note', key: '_id' } },
    size: { type: 'Number', optional: true },
    at: { type: 'DateTime', optional: true },
  },
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

describeOnEach('the debugger', withOneConnection(STORES), { files: DOCUMENT_FILES, dev: true }, (running) => {
  it('shows collection, document, filter, update and pipeline; rolls back when it is cut off', async () => {
    const listener = await listenForDebugger(running().kernel, 'dev');
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
      // Embedded documents are rows.
      const isSql = running().kernel.config.chosen.every(({ name }) => name !== 'mongodb');
      expect(await evaluate('SELECT 1', stopped)).to.match(isSql ? /^1$/ : /uses a SQL database/);
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

  it('documents in the console: filtered, sorted, changed only where nothing is violated', async () => {
    const { kernel } = running();
    const table = '_note';
    const send = (asked: Partial<RequestedChange>): Promise<Outcome> =>
      change(running(), { kind: 'insert', table, ...asked });
    const first = { text: 'A (note)', size: '5', at: '2026-01-31T12:00:00Z' };
    expect(await change(running(), { kind: 'insert', table, values: first }, false)).to.include({ done: false });
    expect(await readRows(kernel, { table })).to.deep.equal([]);
    expect((await send({ values: first })).done).to.equal(true);
    const [found] = await readRows(kernel, { table, column: 'text', contains: '(NOTE' });
    expect(found).to.include({ text: 'A (note)', size: 5, at: '2026-01-31T12:00:00.000Z' });
    const id = String(found?.['_id']);
    expect((await send({ values: { text: 'b', on: id, size: '2' } })).done).to.equal(true);
    expect(listColumns(await send({ values: { text: 'b' } }))).to.deep.equal(['text']);
    expect(listColumns(await send({ values: { text: 'c', pin: '1' } }))).to.contain('"pin" cannot be changed');
    expect(listColumns(await send({ values: { size: 'x' } }))).to.deep.equal(['size']);
    const texts = async (query: object): Promise<unknown> =>
      (await readRows(kernel, { table, ...query })).map(({ text }) => text);
    expect(await texts({ sort: 'size' })).to.deep.equal(['b', 'A (note)']);
    expect(await texts({ column: '_id', equals: id })).to.deep.equal(['A (note)']);
    expect(await texts({ column: 'on', equals: id })).to.deep.equal(['b']);
    expect(await texts({ column: 'at', contains: first.at })).to.deep.equal(['A (note)']);
    expect(await texts({ page: '1' })).to.deep.equal([]);
    const update = (values: RequestedChange['values']): Promise<Outcome> =>
      send({ kind: 'update', key: { _id: id }, values });
    expect(listColumns(await update({ text: null, size: '6' }))).to.deep.equal(['text']);
    expect(listColumns(await update({ text: 'b' }))).to.deep.equal(['text']);
    expect((await update({ text: 'd', at: null })).done).to.equal(true);
    const [changed] = await readRows(kernel, { table, column: '_id', equals: id });
    expect(changed).to.include({ text: 'd', at: null, size: 5 });
    const key = { _id: 'other' };
    expect((await send({ kind: 'delete', key })).violations[0]?.message).to.equal('0 rows have this key.');
    const remove = await send({ kind: 'delete', key: { _id: id } });
    expect([remove.done, remove.effects]).to.deep.equal([true, ['1 rows of "_note" refer to it by "on".']]);
    expect(await texts({})).to.deep.equal(['b']);
  });
});
