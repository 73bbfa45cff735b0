/**
 * Contract of SQL dialects, independent of the database. A suite provides a function that opens a connection; drivers
 * are not used here. Results are compared with literals, so that two dialects that pass return equal results, except
 * for their flavours.
 */
import { POSTGRESQL, type DialectFlavour } from './dialect-flavour.js';
import { faultsContract } from './dialect-faults.js';
import { migrationContract } from './dialect-migration.js';
import { stringsContract } from './dialect-strings.js';
import { createRunner } from './dialect-support.js';
import type { MakeConnection, OpenDialect, Run } from './dialect-support.js';
import { transactionsContract } from './dialect-transactions.js';
import { valuesContract } from './dialect-values.js';
import { skipTest } from '../support/skip.js';

export function dialectContract(
  name: string,
  makeConnection: MakeConnection,
  flavour: DialectFlavour = POSTGRESQL,
): void {
  describe(`dialect ${name}`, () => {
    let opened: OpenDialect | undefined;
    const open = (): OpenDialect => {
      if (!opened) throw new Error('not open');
      return opened;
    };
    const handle = (): OpenDialect['handle'] => open().handle;
    const plain = createRunner(handle);
    const run: Run = (sql, ...rest) => plain(flavour.ddl(sql), ...rest);

    before(async function () {
      const made = await makeConnection();
      if ('skip' in made) skipTest(this, made.skip);
      else opened = made;
    });
    after(async () => opened?.close());

    describe('values', () => valuesContract(run, flavour));
    describe('faults', () => faultsContract(run, flavour));
    describe('transactions', () => transactionsContract(run, handle));
    describe('migration', () => migrationContract(run, open, flavour));
    describe('hostile strings', () => stringsContract(run, name));
  });
}
