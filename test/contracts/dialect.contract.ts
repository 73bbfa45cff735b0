/**
 * What every SQL dialect of the PostgreSQL family must do, whichever database is behind it. A suite brings a way to
 * open a connection; nothing here knows a driver. Answers are compared with literals, so that two dialects that pass
 * give equal answers.
 */
import { faultsContract } from './dialect-faults.js';
import { migrationContract } from './dialect-migration.js';
import { stringsContract } from './dialect-strings.js';
import { runner } from './dialect-support.js';
import type { MakeConnection, OpenDialect } from './dialect-support.js';
import { transactionsContract } from './dialect-transactions.js';
import { valuesContract } from './dialect-values.js';

export function dialectContract(name: string, makeConnection: MakeConnection): void {
  describe(`dialect ${name}`, () => {
    let opened: OpenDialect | undefined;
    const open = (): OpenDialect => {
      if (!opened) throw new Error('not open');
      return opened;
    };
    const handle = (): OpenDialect['handle'] => open().handle;
    const run = runner(handle);

    before(async function () {
      this.timeout(60_000);
      const made = await makeConnection();
      if ('skip' in made) this.skip();
      else opened = made;
    });
    after(async () => opened?.close());

    describe('values', () => valuesContract(run));
    describe('faults', () => faultsContract(run));
    describe('transactions', () => transactionsContract(run, handle));
    describe('migration', () => migrationContract(run, open));
    describe('hostile strings', () => stringsContract(run));
  });
}
