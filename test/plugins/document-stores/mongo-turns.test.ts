/**
 * Connections of a MongoDB store are shared fairly between clients, like those of SQL; without a server, by scripted
 * calls.
 */
import { expect } from 'chai';
import type { Fault } from '../../../contract/fault.js';
import type { Requester } from '../../../contract/requester.js';
import { createCalls, type Calls } from '../../../plugins/document-stores/mongodb/calls.js';
import type { MongoConnection } from '../../../plugins/document-stores/mongodb/connection.js';

const createClient = (remote: string): Requester => ({
  invocation: { remote, deadline: Infinity, onFinish: () => undefined },
  claims: null,
});

function createCallsWith(pool: number, poolWait: number): Calls {
  const session = { startTransaction: () => undefined, endSession: () => Promise.resolve() };
  const ends = { commitTransaction: () => Promise.resolve(), abortTransaction: () => Promise.resolve() };
  const connection = {
    reach: () => ({ there: true, times: 1 }),
    settings: { pool, poolWait, deadline: 1000 },
    client: { startSession: () => ({ ...session, ...ends }) },
  };
  return createCalls(() => connection as unknown as MongoConnection);
}

describe('MongoDB connections', () => {
  /** A call that lasts until it is ended. */
  function holdConnection(calls: Calls): { end: () => void; done: Promise<void> } {
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    return { end, done: calls.call(null, false, () => held, createClient('10.0.0.9')) };
  }

  it('serve a client with one call before the rest of a client with many', async () => {
    const calls = createCallsWith(1, 5000);
    const held = holdConnection(calls);
    const order: string[] = [];
    const acquire = (remote: string): Promise<unknown> =>
      calls.call(null, false, async () => void order.push(remote), createClient(remote));
    const all = [...Array.from({ length: 20 }, () => acquire('10.0.0.1')), acquire('10.0.0.2'), acquire('2001:db8::1')];
    held.end();
    await Promise.all([held.done, ...all]);
    expect(order.slice(0, 4).sort()).to.deep.equal(['10.0.0.1', '10.0.0.1', '10.0.0.2', '2001:db8::1']);
    expect(order).to.have.length(22);
  });

  it('return 503 with Retry-After if none becomes free in time, and send nothing', async () => {
    const calls = createCallsWith(1, 50);
    const held = holdConnection(calls);
    let isSent = false;
    const send = async (): Promise<void> => void (isSent = true);
    const { code, options, params } = (await calls
      .call(null, true, send, createClient('10.0.0.1'))
      .catch((error: unknown) => error)) as Fault;
    expect([code, isSent, params['outcome']]).to.deep.equal(['QRY_UNAVAILABLE', false, undefined]);
    expect(Number(options.headers?.['retry-after'])).to.be.at.least(1);
    held.end();
    await held.done;
  });

  it('are held by a transaction from its first call to its end, and released by a failed call and a throw', async () => {
    const calls = createCallsWith(1, 5000);
    const client = createClient('10.0.0.1');
    const order: string[] = [];
    const transaction = calls.begin(client);
    await calls.call(transaction, true, async () => void order.push('inside'));
    const other = calls.call(null, false, async () => void order.push('other'), client);
    await calls.call(transaction, true, async () => void order.push('again'));
    await calls.commit(transaction);
    await other;
    expect(order).to.deep.equal(['inside', 'again', 'other']);
    const failing = calls.begin(client);
    const throwAtOnce = (): never => {
      throw new Error('before anything is sent');
    };
    await calls.call(failing, true, throwAtOnce).catch(() => undefined);
    await calls.rollback(failing);
    await calls.call(null, false, throwAtOnce, client).catch(() => undefined);
    await calls.call(null, false, async () => void order.push('last'), client);
    expect(order.at(-1)).to.equal('last');
  });
});
