/**
 * Tables of the embedded document store: looked up once, created once, and no transaction left open after a failure.
 * Without a database.
 */
import { expect } from 'chai';
import type { Dialect } from '../../../plugins/dialects/kind.js';
import { createTables } from '../../../plugins/document-stores/embedded/tables.js';

/** `fails`: text of the statement that is rejected. */
function createDatabase({ fails, there = false }: { fails?: string; there?: boolean } = {}) {
  const asked: string[] = [];
  const note = async (what: string): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    asked.push(what);
  };
  const state = { there };
  const sql = {
    begin: async () => (await note('begin'), {}),
    commit: async () => (await note('commit'), void (state.there = true)),
    rollback: () => note('rollback'),
    execute: async (text: string) => {
      const [word = ''] = text.split(' ');
      await note(word);
      if (fails !== undefined && text.includes(fails)) throw new Error('no');
      return text.includes('to_regclass') ? [{ there: state.there, known: null }] : [];
    },
  };
  return { asked, state, tables: createTables(sql as unknown as Dialect, 'main') };
}

describe('tables of the embedded document store', () => {
  it('are looked up once, until the next lookup is requested', async () => {
    const { asked, tables } = createDatabase({ there: true });
    for (let n = 0; n < 2; n++) expect(await tables.readMetadata('c', null)).to.be.an('object');
    expect(asked).to.deep.equal(['SELECT']);
    tables.clearCache();
    await tables.readMetadata('c', null);
    expect(asked).to.deep.equal(['SELECT', 'SELECT']);
  });

  it('are looked up each time as long as there are none', async () => {
    const { asked, state, tables } = createDatabase();
    expect(await tables.readMetadata('c', null)).to.equal(null);
    state.there = true;
    expect(await tables.readMetadata('c', null)).to.be.an('object');
    expect(asked).to.have.length(2);
  });

  it('are created in their own transaction, or in that of the caller', async () => {
    const own = createDatabase();
    await own.tables.make('c', null);
    expect([own.asked[1], own.asked.filter((word) => word === 'commit'), own.asked.at(-1)]).to.deep.equal([
      'begin',
      ['commit'],
      'SELECT',
    ]);
    const inside = createDatabase();
    const transaction = {} as never;
    await inside.tables.make('c', transaction);
    expect(inside.asked).not.to.include('begin');
    const before = inside.asked.length;
    expect(await inside.tables.readMetadata('c', transaction)).to.be.an('object');
    expect(inside.asked, 'the transaction knows its own').to.have.length(before);
    expect(await inside.tables.readMetadata('c', null), 'others do not').to.equal(null);
  });

  it('leave no transaction open when they cannot be created', async () => {
    const { asked, tables } = createDatabase({ fails: 'CREATE TABLE' });
    const failure: unknown = await tables.make('c', null).catch((error: unknown) => error);
    expect(String(failure)).to.equal('Error: no');
    expect([asked.at(-1), asked.includes('commit')]).to.deep.equal(['rollback', false]);
  });
});
