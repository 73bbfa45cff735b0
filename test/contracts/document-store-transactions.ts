/** Contract of document stores: transactions, and many callers at the same time. */
import { ObjectId } from 'bson';
import { expect } from 'chai';
import { createDocumentRows } from '../../plugins/document-stores/shared/document-rows.js';
import type { DocumentTransaction } from '../../plugins/document-stores/kind.js';
import { defineCollection, inTransaction, type OpenStore } from './document-store-support.js';
import { defineColumn, catchFault } from './dialect-support.js';

export function documentTransactionsContract(store: () => OpenStore): void {
  const handle = (): OpenStore['handle'] => store().handle;
  const count = (inside: DocumentTransaction | null = null): Promise<number> => handle().count('t_ledger', {}, inside);
  const begin = async (): Promise<DocumentTransaction> => {
    const inside = await handle().begin();
    if (inside === null) throw new Error('this store has no transactions');
    return inside;
  };
  const write = (n: number, inside: DocumentTransaction | null) =>
    handle().insert('t_ledger', [{ n, amount: 1 }], inside);

  before(() => store().syncSchema([defineCollection('t_ledger', [defineColumn('n', 'integer', { unique: true })])]));
  beforeEach(() => handle().remove('t_ledger', {}, {}, null));

  it('keeps what was committed', async () => {
    const inside = await begin();
    await write(1, inside);
    await write(2, inside);
    await handle().commit(inside);
    expect(await count()).to.equal(2);
  });

  it('removes what was rolled back', async () => {
    await write(1, null);
    const inside = await begin();
    await write(2, inside);
    await handle().update('t_ledger', { n: 1 }, { $set: { amount: 9 } }, {}, inside);
    await handle().remove('t_ledger', { n: 1 }, { one: true }, inside);
    await handle().rollback(inside);
    expect(await handle().find('t_ledger', {}, { projection: { _id: 0 } }, null)).to.deep.equal([{ n: 1, amount: 1 }]);
  });

  it('reads its own writes, and no other transaction reads them before the commit', async () => {
    const inside = await begin();
    await write(1, inside);
    expect(await count(inside)).to.equal(1);
    expect(await handle().find('t_ledger', { n: 1 }, {}, inside)).to.have.length(1);
    expect(await handle().aggregate('t_ledger', [{ $match: {} }], inside)).to.have.length(1);
    // Either waits for the end (one connection) or reads the state before it; never sees a half.
    const outside = count();
    await handle().rollback(inside);
    expect(await outside).to.equal(0);
  });

  it('writes into a collection that does not exist yet', async () => {
    const inside = await begin();
    await handle().insert('t_new', [{ n: 1 }], inside);
    await handle().commit(inside);
    expect(await handle().count('t_new', {}, null)).to.equal(1);
  });

  it('rolls back everything if a call failed, and reports that at the commit', async () => {
    const inside = await begin();
    await write(1, inside);
    await write(2, inside);
    expect((await catchFault(write(1, inside))).code).to.equal('QRY_UNIQUE');
    expect((await catchFault(count(inside))).code).to.equal('QRY_FAILED');
    expect((await catchFault(handle().commit(inside))).code).to.equal('QRY_FAILED');
    expect(await count()).to.equal(0);
    await write(1, null);
  });

  it('ends once: a second end is harmless, a later call is rejected', async () => {
    const inside = await begin();
    await write(1, inside);
    await handle().rollback(inside);
    await handle().rollback(inside);
    expect((await catchFault(write(1, inside))).code).to.equal('QRY_FAILED');
    expect((await catchFault(handle().commit(inside))).code).to.equal('QRY_FAILED');
    expect(await count()).to.equal(0);
  });

  it('opens and ends without a call', async () => {
    await handle().commit(await begin());
    await handle().rollback(await begin());
  });

  it('loses no update when a hundred read an amount and write it back', async function () {
    await write(1, null);
    const add = (): Promise<void> =>
      inTransaction(handle(), async (inside) => {
        const [found] = await handle().find('t_ledger', { n: 1 }, {}, inside);
        const amount = Number(found?.['amount']) + 1;
        await handle().update('t_ledger', { n: 1 }, { $set: { amount } }, { one: true }, inside);
      });
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let round = 0; round < 25; round++) await add();
      }),
    );
    expect((await handle().find('t_ledger', { n: 1 }, {}, null))[0]?.['amount']).to.equal(101);
  });

  it('loses no update that is one call', async () => {
    await write(1, null);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        handle().update('t_ledger', { n: 1 }, { $inc: { amount: 1 } }, { one: i % 2 === 0 }, null),
      ),
    );
    expect((await handle().find('t_ledger', { n: 1 }, {}, null))[0]?.['amount']).to.equal(21);
  });

  it('changes rows of the console by ids of every type, which went through JSON', async () => {
    const rows = createDocumentRows(handle());
    const table = defineCollection('t_ledger', [defineColumn('n', 'integer', { unique: true })]);
    const day = new Date('2026-01-31T12:00:00Z');
    for (const _id of ['a', 7, new ObjectId(), day, { day, of: new ObjectId(), no: 1 }]) {
      await handle().insert('t_ledger', [{ _id, n: 1 }], null);
      const read = await rows.read(table, { filter: null, sort: null, skip: 0, limit: 2 });
      const [{ _id: id = null } = {}] = JSON.parse(JSON.stringify(read)) as typeof read;
      const change = { kind: 'update', key: { _id: id }, values: { n: 2 } } as const;
      expect(await rows.changeRows(table, change, true), JSON.stringify(id)).to.equal(1);
      expect(await count()).to.equal(1);
      expect(await rows.changeRows(table, { ...change, kind: 'delete' }, true)).to.equal(1);
      expect(await count()).to.equal(0);
    }
  });

  it('stores a unique value for one of fifty calls', async () => {
    const made = await Promise.allSettled(Array.from({ length: 50 }, () => write(7, null)));
    const rejected = made.flatMap((one) => (one.status === 'rejected' ? [one.reason as { code: string }] : []));
    expect(rejected.map(({ code }) => code)).to.deep.equal(Array.from({ length: 49 }, () => 'QRY_UNIQUE'));
    expect(await count()).to.equal(1);
  });

  it('stores it for one of twenty transactions, and reports the others', async () => {
    const codes: string[] = [];
    await Promise.all(
      Array.from({ length: 20 }, () =>
        inTransaction(handle(), async (inside) => {
          expect(await handle().find('t_ledger', { n: -1 }, {}, inside)).to.deep.equal([]);
          await write(8, inside);
        }).catch((error: unknown) => codes.push((error as { code: string }).code)),
      ),
    );
    expect(codes).to.deep.equal(Array.from({ length: 19 }, () => 'QRY_UNIQUE'));
    expect(await count()).to.equal(1);
  });
}
