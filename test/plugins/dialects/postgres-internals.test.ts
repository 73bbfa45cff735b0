/** Private members of `pg`: a release without one fails at the first connection, with their names. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { getCancelKey, RowClient } from '../../../plugins/dialects/postgres/pg-internals.js';
import { loadSources } from '../../support/sources.js';
import { ROOT } from '../../support/project.js';

type Members = Record<string, unknown>;
const CLIENT = pg.Client.prototype as unknown as Members;
const CONNECTION = pg.Connection.prototype as unknown as Members;

/** Constructs a client while one member of a class is absent. */
function constructWithout(holder: Members, name: string): RowClient {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  if (descriptor === undefined) throw new Error(`pg has no ${name}`);
  Reflect.deleteProperty(holder, name);
  try {
    return new RowClient();
  } finally {
    Object.defineProperty(holder, name, descriptor);
  }
}

describe('private members of pg', () => {
  it('exist in the installed release', () => {
    expect(getCancelKey(new RowClient())).to.equal(null);
  });

  for (const [holder, names] of [
    [CLIENT, ['_getActiveQuery', '_handleRowDescription', '_handleErrorMessage', '_handleReadyForQuery']],
    [CONNECTION, ['attachListeners', 'parse', 'bind', 'sync', 'sendCopyFail']],
  ] as const)
    for (const name of names)
      it(`prevent the first connection if ${name} is missing`, () => {
        expect(() => constructWithout(holder, name)).to.throw(`this release of pg has no ${name};`);
      });

  it('are used in one file', () => {
    const users = loadSources('plugins', 'kernel', 'cli').filter(({ text }) =>
      /_getActiveQuery|attachListeners|\bsecretKey\b.*client|pg\.Query\b/.test(text),
    );
    expect(users.map(({ path }) => path)).to.deep.equal(['plugins/dialects/postgres/pg-internals.ts']);
  });

  it('belong to one minor release: package.json accepts only its patches', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(dependencies['pg']).to.match(/^~\d+\.\d+\.\d+$/);
  });
});
