/**
 * The transaction that document queries share: what it locks, its limiter, and when it is retried. Without a database.
 */
import { expect } from 'chai';
import { createFault, Fault } from '../../../contract/fault.js';
import type { DocumentAction } from '../../../plugins/document-actions/kind.js';
import type { DocumentStore } from '../../../plugins/document-stores/kind.js';
import type { CompiledQuery } from '../../../plugins/queries/mongo/statement.js';
import { markOutsideTransaction, createDocumentUnit, type OpenUnit } from '../../../plugins/queries/mongo/unit.js';

describe('transaction of document queries', () => {
  const createQuery = (action: Partial<DocumentAction>, collection = 'a'): CompiledQuery =>
    ({ action, collection, lock: false }) as unknown as CompiledQuery;
  const asked: unknown[] = [];
  const createStore = (transaction: unknown, more: object = {}): DocumentStore =>
    ({
      begin: (snapshot: boolean) => {
        asked.push(`begin ${snapshot}`);
        return Promise.resolve(transaction);
      },
      commit: (of: unknown) => Promise.resolve(asked.push(['commit', of])),
      rollback: (of: unknown) => Promise.resolve(asked.push(['rollback', of])),
      retryable: (error: unknown) => error instanceof Fault,
      ...more,
    }) as unknown as DocumentStore;
  beforeEach(() => void asked.splice(0));

  it('is one if the store supports transactions, and absent otherwise', async () => {
    const transaction = { transaction: 1 };
    for (const [given, expected] of [
      [
        transaction,
        [
          ['commit', transaction],
          ['rollback', transaction],
        ],
      ],
      [null, []],
    ] as const) {
      const unit = createDocumentUnit(createStore(given), 'main', [createQuery({})]);
      const opened = await unit.open(undefined as never);
      expect(opened).to.deep.equal({ transaction: given });
      await unit.commit(opened);
      await unit.rollback(opened);
      expect(asked.splice(0)).to.deep.equal(['begin false', ...expected]);
      expect(unit.key).to.equal('documents on main');
    }
  });

  it('is shared with a queue or an outbox in the same store', () => {
    const store = createStore(null);
    const { shared } = createDocumentUnit(store, 'main', []);
    expect(shared?.kind).to.equal('document-store');
    expect(shared?.handle).to.equal(store);
    const transaction = { transaction: 5 };
    expect([shared?.of({ transaction }), shared?.of({ transaction: null })]).to.deep.equal([transaction, null]);
  });

  it('is shared with the SQL connection of the store', () => {
    const unit = createDocumentUnit(createStore(null, { on: 'handle' }), 'main', []);
    expect(unit.shared?.kind).to.equal('dialect');
    expect(unit.shared?.handle).to.equal('handle');
    const of = (opened: OpenUnit): unknown => unit.shared?.of(opened);
    expect([of({ transaction: { transaction: 5 } }), of({ transaction: null })]).to.deep.equal([5, null]);
  });

  it('needs a snapshot if something is read without being locked', async () => {
    const READS = { reads: true, locks: true };
    for (const [queries, expected] of [
      [[createQuery(READS)], true],
      [[createQuery({ changes: true })], false],
      [[createQuery({ reads: false })], false],
      [[Object.assign(createQuery(READS), { lock: true })], false],
      [[Object.assign(createQuery(READS), { lock: true }), createQuery(READS)], true],
    ] as const) {
      await createDocumentUnit(createStore(null), 'main', queries).open(undefined as never);
      expect(asked.splice(0)).to.deep.equal([`begin ${expected}`]);
    }
  });

  it('locks what is input of a change of the same collection', () => {
    const READ = { reads: true, locks: true };
    for (const [read, write, needs, locked] of [
      [createQuery(READ), createQuery({ changes: true }), [0], true],
      [createQuery(READ), createQuery({ changes: true }), [], false],
      [createQuery(READ), createQuery({}), [0], false],
      [createQuery({ reads: true }), createQuery({ changes: true }), [0], false],
      [createQuery(READ, 'b'), createQuery({ changes: true }), [0], false],
      [createQuery(READ), createQuery({ changes: true }), [7], false],
    ] as const) {
      const units = [read, write].map((one) => createDocumentUnit(createStore(null), 'main', [one]));
      const [first] = units;
      first?.join(units, false, [[], needs], []);
      expect([read.lock, write.lock]).to.deep.equal([locked, false]);
    }
  });

  it('holds its limiter until it ends, and leaves no transaction open if it gets none', async () => {
    const transaction = { transaction: 1 };
    const changes = Object.assign(createQuery({ changes: true }), { single: false, collections: ['a', 'b'] });
    const acquireTurns = (_of: unknown, turns: readonly string[]): Promise<() => void> => {
      asked.push(['turns', ...turns]);
      return Promise.resolve(() => void asked.push('leave'));
    };
    const unit = createDocumentUnit(createStore(transaction, { acquireTurns }), 'main', [changes]);
    await unit.commit(await unit.open(undefined as never));
    expect(asked.splice(0)).to.deep.equal(['begin false', ['turns', 'a', 'b'], ['commit', transaction], 'leave']);
    await unit.rollback(await unit.open(undefined as never));
    expect(asked.splice(0).slice(2)).to.deep.equal([['rollback', transaction], 'leave']);
    const busy = createFault('QRY_UNAVAILABLE', {});
    const rejected = createStore(transaction, { acquireTurns: () => Promise.reject(busy) });
    const failing = createDocumentUnit(rejected, 'main', [changes]);
    expect(await failing.open(undefined as never).catch((error: unknown) => error)).to.equal(busy);
    expect(asked).to.deep.equal(['begin false', ['rollback', transaction]]);
  });

  it('is retried if the store requests it, unless a query outside it failed', () => {
    const unit = createDocumentUnit(createStore(null), 'main', []);
    const retryable = (error: unknown): boolean => unit.retryable(error);
    const alone = createFault('QRY_SERIALIZATION', {});
    markOutsideTransaction(alone);
    for (const nothing of [null, 'x', undefined]) markOutsideTransaction(nothing);
    expect([retryable(createFault('QRY_SERIALIZATION', {})), retryable(alone)]).to.deep.equal([true, false]);
    expect([retryable(new Error('x')), retryable(null)]).to.deep.equal([false, false]);
  });
});
