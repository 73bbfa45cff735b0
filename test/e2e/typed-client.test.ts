/** The client that `lintel client` writes: compiled strictly, and used over HTTP and WebSocket. */
import { expect } from 'chai';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WebSocket } from 'ws';
import { describeKernel, readClientParts } from '../../cli/openapi.js';
import { writeClient } from '../../language/export/client/client.js';
import { describeOnDatabase } from '../support/kernel.js';
import { PNG_RED } from '../support/pictures.js';
import { copyQuickSample, ROOT, SAMPLE_ENV } from '../support/project.js';
import { compileStrictly } from '../support/typed-client.js';

type Use = Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>;

describeOnDatabase('a typed client', { prepare: copyQuickSample, env: SAMPLE_ENV }, (kernel) => {
  let folder = '';
  let use: Use = {};
  let files: Readonly<Record<string, string>> = {};
  const server = () => ({ url: kernel().url, WebSocket });
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lintel-test-'));
    const client = writeClient(await describeKernel(kernel().kernel), await readClientParts());
    files = { 'client.ts': client, 'use.ts': await readFile(join(ROOT, 'test/fixtures/client/use.ts.txt'), 'utf8') };
    expect(await compileStrictly(join(folder, 'node'), files, 'node')).to.equal('');
    use = (await import(pathToFileURL(join(folder, 'node', 'out', 'use.js')).href)) as Use;
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const run = (name: string, ...given: unknown[]): Promise<unknown> => {
    const work = use[name];
    if (work === undefined) throw new Error(`the program has no ${name}`);
    return work(...given);
  };

  it('compiles with the libraries of a browser, too', async () => {
    expect(await compileStrictly(join(folder, 'browser'), files, 'browser')).to.equal('');
  });

  it('is the same for the same definitions, and imports nothing', async () => {
    const again = writeClient(await describeKernel(kernel().kernel), await readClientParts());
    expect(again).to.equal(files['client.ts']);
    expect(again).to.not.match(/^import /m);
    for (const value of Object.values(SAMPLE_ENV).filter((one) => one !== 'true')) expect(again).to.not.contain(value);
  });

  it('signs up, signs in, writes and reads', async () => {
    expect(await run('useCalls', server())).to.deep.equal({
      token: 'string',
      balance: 50,
      name: 'Countess',
      found: true,
      closed: true,
    });
  });

  it('returns problems with typed codes', async () => {
    expect(await run('useProblems', server())).to.deep.equal({
      code: 'ACT_NO_VALUE',
      other: 'UPL_NO_FILE',
      narrowed: 'ACT_NO_VALUE',
      status: 409,
      pointers: ['/amount'],
      refused: 'TOK_REFUSED',
      thrown: 'VAL_PAYLOAD',
      missing: 'VAL_PAYLOAD',
    });
  });

  it('uploads files', async () => {
    expect(await run('useUpload', server(), PNG_RED)).to.deep.equal({ caption: 'red', kept: 1, removed: 1 });
  });

  it('calls over a connection, joins a room and receives events', async () => {
    expect(await run('useConnection', server())).to.deep.equal({
      amount: 7,
      balance: 7,
      joined: 0,
      overHttp: undefined,
      id: true,
      refused: 'VAL_PAYLOAD',
      missing: 'ACT_NO_VALUE',
      reason: 'enough',
      late: 'ConnectionClosedError',
      code: 1005,
    });
  });

  it('reports why a connection was closed', async () => {
    expect(await run('useWrongToken', server())).to.deep.equal({ code: 4401, status: 401 });
  });

  it('retries only requests without changes, or rejected before any work', async () => {
    expect(await run('useRetries')).to.deep.equal({
      readAfterLoss: [3, true],
      readTooOften: [3, false],
      writeAfterLoss: [1, 'fetch failed'],
      writeUnknown: [1, false],
      writeBeforeWork: [2, true],
      longWait: [1, false],
      refused: [1, false],
      proxy: [1, 500],
      page: [1, 200],
      stopped: [1, 'enough'],
    });
  });
});
