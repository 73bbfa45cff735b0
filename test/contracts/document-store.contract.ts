/**
 * Contract of document stores, independent of the database. A suite provides a function that opens an empty store;
 * drivers are not used here. Results are compared with literals, so that two stores that pass return equal results.
 */
import { documentFaultsContract } from './document-store-faults.js';
import { documentMigrationContract } from './document-store-migration.js';
import { documentReadsContract } from './document-store-reads.js';
import type { MakeStore, OpenStore } from './document-store-support.js';
import { documentTransactionsContract } from './document-store-transactions.js';
import { documentWritesContract } from './document-store-writes.js';
import { skipTest } from '../support/skip.js';

export function documentStoreContract(name: string, open: MakeStore): void {
  describe(`document store ${name}`, () => {
    let opened: OpenStore | undefined;
    const store = (): OpenStore => {
      if (!opened) throw new Error('not open');
      return opened;
    };
    const handle = (): OpenStore['handle'] => store().handle;

    before(async function () {
      const made = await open();
      if ('skip' in made) skipTest(this, made.skip);
      else opened = made;
    });
    after(async () => opened?.close());

    describe('reads', () => documentReadsContract(handle));
    describe('writes', () => documentWritesContract(handle));
    describe('faults', () => documentFaultsContract(store));
    describe('transactions', () => documentTransactionsContract(store));
    describe('migration', () => documentMigrationContract(store));
  });
}
