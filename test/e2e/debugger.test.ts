/** The debugger for definitions: an adapter as an editor starts it, a server with `--debug`, and real requests that stop. */
import { expect } from 'chai';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { hostCli, type Running } from '../support/cli.js';
import { createClient, type Client } from '../support/client.js';
import { createDebugClient, hostAdapter, type DebugClient, type StoppedThread } from '../support/debug-client.js';
import {
  createDebuggedProject,
  lineOf,
  REQUEST_SECONDS,
  SENT,
  TRANSFER,
  TRANSFER_FILE,
} from '../support/debugged-project.js';
import type { TempProject } from '../support/project.js';
import { waitUntil } from '../support/until.js';
import { createJsonBehaviour, startUpstream, type Upstream } from '../support/upstream.js';

describe('the debugger', () => {
  let project: TempProject;
  let server: Running;
  let client: Client;
  let debug: DebugClient;
  let upstream: Upstream;
  let file: string;

  before(async () => {
    upstream = await startUpstream(createJsonBehaviour({ queued: true }));
    project = await createDebuggedProject(upstream);
    file = join(project.folder, TRANSFER_FILE);
    server = hostCli(['dev', '--debug'], { cwd: project.folder, env: { PORT: '0' } });
    const [, url = ''] = await server.waitForOutput(/ready at (http:\S+)/);
    await server.waitForOutput(/debugger at 127\.0\.0\.1:\d+/);
    client = createClient(url);
    await client.post('/fill', {});
  });
  after(async () => {
    expect((await server.stop()).code).to.equal(0);
    await project.dispose();
    await upstream.close();
  });
  afterEach(async () => {
    await debug.request('disconnect').catch(() => undefined);
    await debug.ended;
  });

  async function attach(
    breakpoints: readonly DebugProtocol.SourceBreakpoint[],
    args: object = {},
    caught?: DebugProtocol.SetExceptionBreakpointsArguments,
  ): Promise<void> {
    debug = hostAdapter(project.folder);
    await debug.start('attach', { ...args }, { [file]: breakpoints }, caught && { ...caught });
  }

  async function readScope(stopped: StoppedThread, name: string, frame = 0): Promise<Record<string, string>> {
    const { scopes } = await debug.request<DebugProtocol.ScopesResponse['body']>('scopes', {
      frameId: stopped.frames[frame]?.id,
    });
    const read = async (reference: number, prefix: string): Promise<[string, string][]> => {
      const { variables } = await debug.request<DebugProtocol.VariablesResponse['body']>('variables', {
        variablesReference: reference,
      });
      const all = variables.map(async (one): Promise<[string, string][]> => [
        [`${prefix}${one.name}`, one.value],
        ...(one.variablesReference > 0 ? await read(one.variablesReference, `${prefix}${one.name}.`) : []),
      ]);
      return (await Promise.all(all)).flat();
    };
    const scope = scopes.find((one) => one.name === name);
    return scope === undefined ? {} : Object.fromEntries(await read(scope.variablesReference, ''));
  }
  const evaluate = async (expression: string, { frames }: StoppedThread): Promise<string> =>
    (await debug.request<DebugProtocol.EvaluateResponse['body']>('evaluate', { expression, frameId: frames[0]?.id }))
      .result;
  const step = async (how: string, { thread }: StoppedThread): Promise<StoppedThread> => {
    await debug.request(how, { threadId: thread });
    return debug.waitForStop();
  };
  const resume = ({ thread }: StoppedThread): Promise<unknown> => debug.request('continue', { threadId: thread });
  const readBalances = async (): Promise<unknown> => (await client.post<unknown>('/balances', {})).body;

  it('stops at an actionable and shows its inputs and outputs, without secrets', async () => {
    await attach([{ line: lineOf('"id": 1,') }]);
    const answer = client.post('/transfer', SENT);
    const stopped = await debug.waitForStop();
    expect([stopped.reason, stopped.at, stopped.frames[0]?.line]).to.deep.equal([
      'breakpoint',
      'transfer#1 · before',
      lineOf('"id": 1,') - 1,
    ]);
    expect(stopped.frames.map(({ name }) => name)).to.deep.equal(['transfer#1 · before', '/transfer']);
    expect(stopped.frames[0]?.source?.path).to.equal(file);
    expect(await readScope(stopped, 'Payload')).to.deep.equal({ amount: '5', pin: '‹secret›', to: '"eva"' });
    const statement = await readScope(stopped, 'Statement');
    expect(statement['sql']).to.contain('UPDATE accounts SET balance');
    expect([statement['values.$1 amount'], statement['values.$2 pin']]).to.deep.equal(['5', '‹secret›']);
    expect(statement['isolation']).to.contain('one transaction at a time');
    expect((await readScope(stopped, 'Headers'))['content-type']).to.contain('json');
    expect(await evaluate('$PAYLOAD.amount', stopped)).to.equal('5');
    expect(await evaluate('$PAYLOAD.amount >= 5 && to == "eva"', stopped)).to.equal('true');
    expect(await evaluate('$PAYLOAD.pin', stopped)).to.equal('‹secret›');
    const code = await evaluate('process.exit()', stopped).catch((error: Error) => error.message);
    expect(code).to.contain('`(` is not expected here');
    await resume(stopped);
    expect((await answer).status).to.equal(200);
  });

  it('steps over actionables, into a dependency and out of it, to the response', async () => {
    await attach([{ line: lineOf('"id": 1,') }]);
    const answer = client.post('/transfer', SENT);
    let stopped = await debug.waitForStop();
    const seen: string[] = [];
    const go = async (how: string): Promise<void> => {
      stopped = await step(how, stopped);
      seen.push(stopped.at);
    };
    await go('next');
    expect((await readScope(stopped, 'Result'))['result.balance']).to.match(/^\d+$/);
    await go('next');
    await go('stepIn');
    expect(stopped.frames.map(({ name }) => name)).to.deep.equal([
      'transfer#3 · before',
      'transfer#2 · waits',
      '/transfer',
    ]);
    expect(stopped.frames[1]?.line).to.equal(lineOf('"id": 2') - 1);
    await go('next');
    await go('stepOut');
    expect((await readScope(stopped, 'Names'))['target']).to.equal('2');
    expect((await readScope(stopped, 'Results'))['3.id']).to.equal('2');
    await go('next');
    await go('stepOut');
    expect(seen).to.deep.equal([
      'transfer#1 · after',
      'transfer#2 · before its dependencies',
      'transfer#3 · before',
      'transfer#3 · after',
      'transfer#2 · before',
      'transfer#2 · after',
      'transfer · returnables · /transfer',
    ]);
    await resume(stopped);
    expect((await answer).body).to.have.property('id', 2);
  });

  it('moves breakpoints to existing places, stops at rules, counts, compares and logs', async () => {
    debug = hostAdapter(project.folder);
    await debug.start('attach', {});
    const set = async (...breakpoints: DebugProtocol.SourceBreakpoint[]): Promise<DebugProtocol.Breakpoint[]> =>
      (
        await debug.request<DebugProtocol.SetBreakpointsResponse['body']>('setBreakpoints', {
          source: { path: file },
          breakpoints,
        })
      ).breakpoints;
    const lines = [1, lineOf('// Takes'), lineOf('"pin": {'), lineOf('"mode"'), lineOf('"must_return'), 900];
    const placed = await set(...lines.map((line) => ({ line })));
    expect(placed.map(({ verified, line }) => (verified ? line : null))).to.deep.equal([
      1,
      1,
      lineOf('{ "field": { "pin"'),
      lineOf('"id": 1,') - 1,
      lineOf('"must_return'),
      null,
    ]);
    const ends = await set({ line: lineOf('"depends_on"') - 5 }, { line: lineOf('"returnables"') + 1 });
    expect(ends.map(({ line }) => line)).to.deep.equal([lineOf('"depends_on"') - 5, lineOf('"returnables"') + 1]);
    const whole = client.post('/transfer', SENT);
    let stopped = await debug.waitForStop();
    expect(stopped.at).to.equal('transfer#1 · after');
    await resume(stopped);
    stopped = await debug.waitForStop();
    expect(stopped.at).to.equal('transfer · after · /transfer');
    expect(await readScope(stopped, 'Result')).to.have.property('result.id', '2');
    await resume(stopped);
    await whole;
    const [wrong] = await set({ line: 3, condition: 'balance = 1' });
    expect([wrong?.verified, wrong?.message]).to.deep.equal([
      false,
      '"= 1" is no accessor, name, literal or comparison: write `amount > 10`',
    ]);
    await set(
      { line: lineOf('"pin": {'), condition: '$PAYLOAD.amount > 50' },
      { line: lineOf('"id": 2'), hitCondition: '2' },
      { line: lineOf('"id": 1,'), logMessage: 'sends {amount} with {pin} to {$PAYLOAD.to}' },
    );
    const first = await client.post('/transfer', SENT);
    const second = client.post('/transfer', { ...SENT, amount: 6 });
    stopped = await debug.waitForStop();
    expect([first.status, stopped.at, await evaluate('amount', stopped)]).to.deep.equal([
      200,
      'transfer#2 · before',
      '6',
    ]);
    await resume(stopped);
    await second;
    const third = client.post('/transfer', { ...SENT, amount: 60 });
    stopped = await debug.waitForStop();
    expect([stopped.at, stopped.frames[0]?.line]).to.deep.equal([
      'transfer#1 · payload_validation',
      lineOf('{ "field": { "pin"'),
    ]);
    await resume(stopped);
    await third;
    await waitUntil(() => debug.output().includes('sends 60 with'));
    expect(debug.output()).to.contain('sends 5 with ‹secret› to eva\n').and.not.contain(SENT.pin);
  });

  it('sets a value, and reads rows of the transaction but writes none', async () => {
    await attach([{ line: lineOf('"id": 2') }]);
    const before = (await readBalances()) as { balance: number }[];
    const answer = client.post('/transfer', SENT);
    const stopped = await debug.waitForStop();
    const { scopes } = await debug.request<DebugProtocol.ScopesResponse['body']>('scopes', {
      frameId: stopped.frames[0]?.id,
    });
    const set = (name: string, value: string): Promise<{ value: string }> =>
      debug.request('setVariable', { variablesReference: scopes[0]?.variablesReference, name, value });
    expect((await set('amount', '7')).value).to.equal('7');
    expect(await set('amount', 'x').catch((error: Error) => error.message)).to.contain('a value is written as JSON');
    expect(await evaluate('SELECT balance FROM accounts WHERE id = 1', stopped)).to.equal('[1]');
    for (const statement of [
      'WITH x AS (DELETE FROM accounts RETURNING id) SELECT id FROM x',
      'SELECT no FROM accounts',
    ])
      expect(await evaluate(statement, stopped).catch((error: Error) => error.message)).to.match(/QRY_/);
    await resume(stopped);
    expect((await answer).status).to.equal(200);
    const [from, to] = before.map(({ balance }) => balance) as [number, number];
    expect(await readBalances()).to.deep.equal([
      { id: 1, balance: from - 5 },
      { id: 2, balance: to + 7 },
    ]);
  });

  it('stops at a rejection by its code, at the rule', async () => {
    await attach([], {}, { filters: [], filterOptions: [{ filterId: 'rejected', condition: 'VAL_PAYLOAD' }] });
    const none = await client.post('/transfer', { ...SENT, to: 'nobody' });
    expect(none.status).to.equal(422);
    const answer = client.post('/transfer', { ...SENT, pin: '1' });
    const stopped = await debug.waitForStop();
    expect([stopped.reason, stopped.body['text'], stopped.frames[0]?.line]).to.deep.equal([
      'exception',
      'VAL_PAYLOAD',
      lineOf('"pin": {'),
    ]);
    const info = await debug.request('exceptionInfo', { threadId: stopped.thread });
    expect(info['description']).to.contain('422').and.contain('/pin');
    await resume(stopped);
    expect((await answer).status).to.equal(422);
  });

  it('shows the call of a job and the response, without the key', async () => {
    debug = hostAdapter(project.folder);
    await debug.start('attach', {}, { [join(project.folder, 'definitions/notify.json')]: [{ line: 5 }] });
    expect((await client.post('/notify', { to: 'eva' })).status).to.equal(202);
    let stopped = await debug.waitForStop();
    expect(stopped.frames.map(({ name }) => name)).to.deep.equal(['notify#1 · before', 'job /notify, attempt 1']);
    const call = await readScope(stopped, 'Call');
    expect(call).to.deep.equal({
      ...{ method: '"POST"', url: '"…/hook"', body: '"{\\"to\\":\\"eva\\"}"' },
      ...{ 'headers.x-key': '"key …"', 'headers.content-type': '"application/json"' },
      ...{ 'headers.idempotency-key': call['headers.idempotency-key'], headers: call['headers'] },
    });
    stopped = await step('next', stopped);
    expect(await readScope(stopped, 'Result')).to.include({ 'result.queued': 'true' });
    await resume(stopped);
  });

  it('pauses the next request, and any at its start; its deadline is extended', async () => {
    await attach([], { stopOnEntry: true });
    const first = client.post('/echo', { text: 'a' });
    let stopped = await debug.waitForStop();
    expect([stopped.reason, stopped.at]).to.deep.equal(['entry', 'echo · before · /echo']);
    await resume(stopped);
    await first;
    await debug.request('disconnect');
    await attach([]);
    await debug.request('pause', { threadId: 1 });
    const second = client.post('/echo', { text: 'b' });
    stopped = await debug.waitForStop();
    expect(stopped.reason).to.equal('pause');
    const { threads } = await debug.request<DebugProtocol.ThreadsResponse['body']>('threads');
    expect(threads.map(({ name }) => name)).to.deep.equal(['lintel dev', '/echo']);
    await resume(stopped);
    expect((await second).body).to.equal('b');
    await debug.request('pause', { threadId: 1 });
    const third = client.post('/ask', { to: 'eva' });
    stopped = await debug.waitForStop();
    const since = performance.now();
    await waitUntil(() => performance.now() - since > REQUEST_SECONDS * 1100);
    await resume(stopped);
    // A call is given what is left of the time of its request.
    expect((await third).status).to.equal(200);
  });

  it('continues requests when it disconnects, and updates after a file was saved', async () => {
    await attach([{ line: lineOf('"id": 2') }]);
    const answer = client.post('/transfer', SENT);
    await debug.waitForStop();
    await debug.request('disconnect');
    expect((await answer).status).to.equal(200);
    await debug.ended;
    await attach([{ line: lineOf('"id": 2') }]);
    const from = server.output().length;
    await project.write(TRANSFER_FILE, `// A comment.\n${TRANSFER}`);
    const { breakpoint } = (await debug.waitForEvent('breakpoint')) as { breakpoint: DebugProtocol.Breakpoint };
    await server.waitForOutput(/serving \d resource/, from);
    expect(breakpoint.line).to.equal(lineOf('"id": 2'));
    const next = client.post('/transfer', SENT);
    const stopped = await debug.waitForStop();
    expect(stopped.frames[0]?.line).to.equal(lineOf('"id": 2'));
    await resume(stopped);
    await next;
    // No transaction is open at the start, so a save takes effect.
    await debug.request('setBreakpoints', { source: { path: file }, breakpoints: [{ line: 1 }] });
    const last = client.post('/transfer', SENT);
    const early = await debug.waitForStop();
    const again = server.output().length;
    await project.write(TRANSFER_FILE, `// A comment.\n// Another.\n${TRANSFER}`);
    await server.waitForOutput(/serving \d resource/, again);
    const { stackFrames } = await debug.request<DebugProtocol.StackTraceResponse['body']>('stackTrace', {
      threadId: early.thread,
    });
    expect(stackFrames.map(({ line }) => line)).to.deep.equal(early.frames.map(({ line }) => line + 1));
    await resume(early);
    await last;
  });

  it('accepts one client with the token, on loopback', async () => {
    await attach([]);
    const second = hostAdapter(project.folder);
    const refused = await second.start('attach', {}).catch((error: Error) => error.message);
    expect(refused).to.contain('Another debugger is attached to this server');
    await second.request('disconnect');
    const info = join(project.folder, '.lintel/debug.json');
    expect((await stat(info)).mode & 0o777).to.equal(0o600);
    const { port } = JSON.parse(await readFile(info, 'utf8')) as { port: number };
    const socket = connect(port, '127.0.0.1');
    const bare = createDebugClient({ input: socket, output: socket, ended: Promise.resolve(0) });
    expect(await bare.request('threads').catch((error: Error) => error.message)).to.contain('Attach first');
    const wrong = await bare.request('attach', { token: 'x' }).catch((error: Error) => error.message);
    expect(wrong).to.contain('The token is not that of this server');
    socket.destroy();
  });
});
