/** Contract of transactions and of running at the same time. */
import { expect } from 'chai';
import type { Dialect } from '../../plugins/dialects/kind.js';
import type { Run } from './dialect-support.js';
import { catchFault } from './dialect-support.js';
import { SERIALIZABLE } from '../../plugins/dialects/kind.js';

export function transactionsContract(run: Run, handle: () => Dialect): void {
  const count = async (): Promise<unknown> => (await run('SELECT count(*) AS n FROM ledger'))[0]?.['n'];
  const insert = 'INSERT INTO ledger (id, amount) VALUES ($1, 1)';

  before(() => run('CREATE TABLE ledger (id int PRIMARY KEY, amount int NOT NULL)'));
  beforeEach(() => run('DELETE FROM ledger'));

  it('keeps what was committed', async () => {
    const transaction = await handle().begin(SERIALIZABLE);
    await run(insert, [1], [], transaction);
    await run(insert, [2], [], transaction);
    await handle().commit(transaction);
    expect(await count()).to.equal(2);
  });

  it('removes what was rolled back', async () => {
    const transaction = await handle().begin(SERIALIZABLE);
    await run(insert, [1], [], transaction);
    await handle().rollback(transaction);
    expect(await count()).to.equal(0);
  });

  it('reads its own writes, and no other transaction reads them before the commit', async () => {
    const transaction = await handle().begin(SERIALIZABLE);
    await run(insert, [1], [], transaction);
    expect(await run('SELECT count(*) AS n FROM ledger', [], [], transaction)).to.deep.equal([{ n: 1 }]);
    // Either waits for the end (one connection) or reads the state before it; never sees a half.
    const outside = count();
    await handle().rollback(transaction);
    expect(await outside).to.equal(0);
  });

  it('rolls back everything if a statement failed, and reports that at the commit', async () => {
    const transaction = await handle().begin(SERIALIZABLE);
    await run(insert, [1], [], transaction);
    expect((await catchFault(run(insert, [1], [], transaction))).code).to.equal('QRY_UNIQUE');
    expect((await catchFault(handle().commit(transaction))).code).to.equal('QRY_FAILED');
    expect(await count()).to.equal(0);
    await run(insert, [1]);
  });

  it('ends once: a second end is harmless, a later statement is rejected', async () => {
    const transaction = await handle().begin(SERIALIZABLE);
    await run(insert, [1], [], transaction);
    await handle().rollback(transaction);
    await handle().rollback(transaction);
    expect((await catchFault(run(insert, [1], [], transaction))).code).to.equal('QRY_FAILED');
    expect((await catchFault(handle().commit(transaction))).code).to.equal('QRY_FAILED');
    expect(await count()).to.equal(0);
  });

  it('opens and ends without a statement', async () => {
    await handle().commit(await handle().begin(SERIALIZABLE));
    await handle().rollback(await handle().begin(SERIALIZABLE));
  });

  it('loses no update when many add to one row', async () => {
    await run(insert, [1]);
    const add = async (): Promise<void> => {
      for (;;) {
        const transaction = await handle().begin(SERIALIZABLE);
        try {
          const [row] = await run('SELECT amount FROM ledger WHERE id = $1', [1], [], transaction);
          await run('UPDATE ledger SET amount = $1 WHERE id = 1', [Number(row?.['amount']) + 1], [], transaction);
          await handle().commit(transaction);
          return;
        } catch (error) {
          await handle().rollback(transaction);
          if (!handle().retryable(error)) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: 10 }, add));
    expect(await run('SELECT amount FROM ledger WHERE id = 1')).to.deep.equal([{ amount: 11 }]);
  });

  it('runs 50 concurrent statements, each with its own result', async () => {
    const rows = await Promise.all(Array.from({ length: 50 }, (_, i) => run('SELECT $1::int AS n', [i])));
    expect(rows.map(([row]) => row?.['n'])).to.deep.equal(Array.from({ length: 50 }, (_, i) => i));
    await Promise.all(Array.from({ length: 50 }, (_, i) => run(insert, [i])));
    expect(await count()).to.equal(50);
  });

  it('separates errors from the results around them', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => run('SELECT $1::int AS n', [i % 5 === 0 ? 'x' : i])),
    );
    answers.forEach((answer, i) => {
      if (i % 5 === 0) expect(answer.status).to.equal('rejected');
      else expect(answer).to.deep.include({ status: 'fulfilled', value: [{ n: i }] });
    });
  });
}
