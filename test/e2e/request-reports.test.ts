/** Reports of requests to an editor while `lintel dev` runs: status, times and rows of each, and no values. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { listenForEditors, type EditorListener } from '../../cli/editor-listener.js';
import { createRequestReports, type RequestReport } from '../../cli/request-reports.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { readAddress } from '../../cli/loopback-address.js';
import { waitUntil } from '../support/until.js';

const query = (id: number, text: string, more: object = {}): object => ({
  ...{ id, mode: 'QUERY', sql_query: { query: text, ...more } },
});
const FILES = {
  'definitions/_note.model.json': { id: { type: 'Number', primary_key: true }, text: { type: 'String' } },
  'definitions/add.json': {
    ...{ id: 'add', resource: 'add' },
    actionables: [
      {
        ...query(1, 'INSERT INTO _note (id, text) VALUES ($1, $2)', { parameters: ['id', 'text'] }),
        payload_validation: [{ field: { id: { type: 'NUMBER' }, text: { type: 'STRING' } } }],
      },
    ],
  },
  'definitions/all.json': {
    ...{ id: 'all', resource: 'all', returnables: ['id', 'text'] },
    actionables: [{ ...query(1, 'SELECT id, text FROM _note ORDER BY id'), result: 'many' }],
  },
};

describe('reports of requests for an editor', () => {
  const reports = createRequestReports();
  let running: TestKernel;
  let listener: EditorListener;
  const open: IncomingMessage[] = [];
  before(async () => {
    running = await startKernel({ files: FILES, register: reports.register });
    listener = await listenForEditors(running.kernel, reports);
  });
  after(async () => {
    await listener.close();
    await running.close();
  });

  async function connect(token?: string): Promise<{ readonly status: number; readonly seen: RequestReport[] }> {
    const address = (await readAddress(running.project.folder, 'dev')) ?? expect.fail('no address');
    const headers = { authorization: `Bearer ${token ?? address.token}` };
    const [response] = (await once(
      get({ host: '127.0.0.1', port: address.port, path: '/requests', headers }),
      'response',
    )) as [IncomingMessage];
    response.on('error', () => undefined);
    open.push(response);
    const seen: RequestReport[] = [];
    const lines = createInterface(response).on('line', (line) => seen.push(JSON.parse(line) as RequestReport));
    // The server ends the response without its end.
    lines.on('error', () => undefined);
    return { status: response.statusCode ?? 0, seen };
  }

  it('are one line each, with the time and rows of each actionable', async () => {
    const { status, seen } = await connect();
    expect(status).to.equal(200);
    for (const id of [1, 2]) await running.post('/add', { id, text: 'a private text' });
    await running.post('/all', {});
    await running.post('/add', { id: 'none' });
    await waitUntil(() => seen.length === 4, 'four reports');
    expect(seen.map(({ resource, status: of, code }) => [resource, of, code])).to.deep.equal([
      ['add', 200, undefined],
      ['add', 200, undefined],
      ['all', 200, undefined],
      ['add', 422, 'VAL_PAYLOAD'],
    ]);
    const [action] = seen[2]?.actions ?? [];
    expect(action?.rows).to.equal(2);
    expect(action?.milliseconds).to.be.greaterThan(0);
    expect(JSON.stringify(seen)).not.to.include('private');
  });

  it('include the last ones for an editor that connects later, and require the token', async () => {
    const { seen } = await connect();
    await waitUntil(() => seen.length === 2, 'one report of each resource');
    expect(seen.map(({ resource }) => resource)).to.deep.equal(['all', 'add']);
    const refused = await connect('another');
    expect(refused.status).to.equal(403);
    await waitUntil(() => refused.seen.length === 1, 'the reason');
    expect(refused.seen.map((line) => Object.keys(line))).to.deep.equal([['message']]);
  });

  it('end with the server', async () => {
    await connect();
    const ended = new Promise((resolve) => open.at(-1)!.once('close', resolve));
    await listener.close();
    await ended;
  });
});
