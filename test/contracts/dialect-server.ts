/**
 * Contract of dialects with a server when it or a connection fails: wait within limits, lose at most the current
 * transaction, send nothing twice, report why no connection is possible. Suites of one server add its own cases.
 */
import { expect } from 'chai';
import type { PluginRuntime } from '../../contract/plugin.js';
import type { Dialect } from '../../plugins/dialects/kind.js';
import { waitUntil } from '../support/until.js';
import { openDialect } from './dialect-open.js';
import { catchFault, createRunner, type OpenDialect, type Run } from './dialect-support.js';
import { skipTest } from '../support/skip.js';
import { SERIALIZABLE } from '../../plugins/dialects/kind.js';

export interface DialectServer {
  readonly runtime: PluginRuntime<Dialect>;
  /** The URL of a new, empty database, or why there is none. */
  readonly make: () => Promise<string | { readonly skip: string }>;
  /** Ends the connections of the dialect to this database. */
  readonly end: (url: string) => Promise<void>;
  readonly connections: (url: string) => Promise<number>;
  /** An INSERT of one row into `once` that takes seconds, and whether it is running. */
  readonly slowInsert: string;
  readonly isSlow: (url: string) => Promise<boolean>;
  /** Rejects a login that does not exist. */
  readonly hasLogins: boolean;
}

export type ConnectionUnderTest = OpenDialect & { readonly run: Run };

export interface ServerConnections {
  readonly url: () => string;
  /** Closed after the test. */
  readonly open: (options?: Readonly<Record<string, unknown>>) => Promise<ConnectionUnderTest>;
}

/** To be called inside a `describe`. */
export function testDialectServer(server: DialectServer): ServerConnections {
  const { runtime, make } = server;
  let url = '';
  const opened: OpenDialect[] = [];

  async function open(options: Readonly<Record<string, unknown>> = {}): Promise<ConnectionUnderTest> {
    const made = await openDialect(runtime, { url, ...options });
    opened.push(made);
    return { ...made, run: createRunner(() => made.handle) };
  }

  before(async function () {
    const made = await make();
    if (typeof made !== 'string') return skipTest(this, made.skip);
    url = made;
  });
  afterEach(() => Promise.all(opened.splice(0).map((made) => made.close())));

  const serving: ServerConnections = { url: () => url, open };
  testPoolLimits(serving, runtime);
  testConnectionLoss(serving, server);
  testConnectErrors(serving, server);
  return serving;
}

function testPoolLimits({ url, open }: ServerConnections, runtime: DialectServer['runtime']): void {
  it('rejects if no connection becomes free in time, and is healthy', async () => {
    const store = await open({ pool_size: 1, pool_wait: 0.2 });
    const { run, handle } = store;
    // On a slow machine a new connection takes longer than the wait.
    const isConnected = (): Promise<boolean> =>
      run('SELECT 1').then(
        () => true,
        () => false,
      );
    await waitUntil(isConnected, 'it is connected');
    const transaction = await handle.begin(SERIALIZABLE);
    const fault = await catchFault(run('SELECT 1'));
    expect(fault.code).to.equal('QRY_UNAVAILABLE');
    expect(fault.options.retryable).to.equal(true);
    expect(fault.options.headers).to.deep.equal({ 'retry-after': '1' });
    expect(await store.health()).to.equal(true);
    await handle.rollback(transaction);
    await run('SELECT 1');
  });

  it('is healthy while open and unavailable when closed', async () => {
    const made = await openDialect(runtime, { url: url() });
    expect(await made.health()).to.equal(true);
    await made.close();
    await made.close();
    expect(await made.health()).to.equal(false);
    expect((await catchFault(createRunner(() => made.handle)('SELECT 1'))).code).to.equal('QRY_UNAVAILABLE');
  });
}

function testConnectionLoss(
  { url, open }: ServerConnections,
  { runtime, end, connections, slowInsert, isSlow }: DialectServer,
): void {
  /** Repeated: a connection being opened is available only after the first attempt. */
  async function terminateConnections(): Promise<void> {
    await waitUntil(async () => {
      await end(url());
      return (await connections(url())) === 0;
    }, 'the connections are gone');
  }

  it('leaves no connection open when it is closed while it opens some', async () => {
    const made = await openDialect(runtime, { url: url() });
    const run = createRunner(() => made.handle);
    const statements = Promise.allSettled(Array.from({ length: 8 }, () => run('SELECT 1')));
    await made.close();
    await statements;
    await waitUntil(async () => (await connections(url())) === 0, 'the connections are gone');
  });

  it('continues after its idle connections were terminated', async () => {
    const { run } = await open();
    await run('CREATE TABLE survives (id int PRIMARY KEY)');
    for (let round = 0; round < 3; round++) {
      await terminateConnections();
      expect(await run('SELECT 1 AS n')).to.deep.equal([{ n: 1 }]);
      expect(await run('INSERT INTO survives (id) VALUES ($1)', [round])).to.deep.equal([{ id: round }]);
    }
  });

  it('fails a transaction whose connection was lost, and only that', async () => {
    const { run, handle } = await open();
    const transaction = await handle.begin(SERIALIZABLE);
    await run('SELECT 1', [], [], transaction);
    await terminateConnections();
    expect((await catchFault(run('SELECT 1', [], [], transaction))).code).to.equal('QRY_UNAVAILABLE');
    await handle.rollback(transaction);
    expect(await run('SELECT 1 AS n')).to.deep.equal([{ n: 1 }]);
  });

  it('reports an unknown outcome when the connection is lost during a write, and does not send it twice', async () => {
    const { run } = await open();
    await run('CREATE TABLE once (id int PRIMARY KEY, n int)');
    const write = catchFault(run(slowInsert));
    await waitUntil(() => isSlow(url()), 'the write is at work');
    await terminateConnections();
    const fault = await write;
    expect(fault.code).to.equal('QRY_UNAVAILABLE');
    expect(fault.params['outcome']).to.match(/not known/);
    expect(fault.options.retryable ?? false).to.equal(false);
    expect(await run('SELECT count(*) AS n FROM once')).to.deep.equal([{ n: 0 }]);
  });
}

function testConnectErrors({ url }: ServerConnections, { runtime, hasLogins }: DialectServer): void {
  it('reports in fixed text why it cannot connect', async () => {
    const [nobody, nowhere, wrong] = [new URL(url()), new URL(url()), new URL(url())];
    nobody.port = '1';
    nowhere.pathname = '/nowhere_secret';
    wrong.username = 'nobody_secret';
    wrong.password = 'secret';
    for (const [address, reason] of [
      [nobody.href, 'nothing listens at this address'],
      [nowhere.href, 'the database does not exist'],
      ['db.example.com/secret', 'the address is not valid'],
      ...(hasLogins ? [[wrong.href, 'user name or password refused'] as const] : []),
    ] as const) {
      const fault = await catchFault(openDialect(runtime, { url: address }));
      expect(fault.code).to.equal('QRY_CONNECT');
      expect(fault.params).to.deep.equal({ instance: 'main', reason });
    }
  });
}
