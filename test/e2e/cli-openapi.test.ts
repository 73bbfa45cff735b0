/** `lintel openapi`: what it prints and writes, how it compares, and what it rejects. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../support/cli.js';
import type { JsonObject } from '../../contract/json.js';
import type { Loose } from '../support/client.js';
import { listDocumentErrors } from '../support/openapi.js';
import { getAnswerSchema } from '../support/openapi-documents.js';
import {
  copySample,
  defineReturnResource,
  SAMPLE_ENV,
  createTempProject,
  type TempProject,
} from '../support/project.js';

describe('lintel openapi', function () {
  let project: TempProject;
  beforeEach(async () => {
    project = await createTempProject({ 'package.json': { name: 'wallet', version: '3.1.4' } });
  });
  afterEach(() => project.dispose());
  const run = (...words: string[]): ReturnType<typeof runCli> =>
    runCli(['openapi', ...words], { cwd: project.folder, env: SAMPLE_ENV });

  it('prints a valid document with the name of the package, and no value of the environment', async () => {
    await copySample(project.folder);
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).to.deep.equal([0, '']);
    const document = JSON.parse(stdout) as Loose;
    expect(document['info']).to.include({ title: 'wallet', version: '3.1.4' });
    expect(await listDocumentErrors(document as never)).to.equal('');
    // Booleans reveal nothing; every other value would.
    const reported = Object.values(SAMPLE_ENV).filter((value) => value !== 'true');
    for (const value of reported) expect(stdout).to.not.contain(value);
  });

  it('writes a file, accepts it while it is current, and reports when it is not', async () => {
    await project.write('definitions/a.json', defineReturnResource('a', 1));
    expect((await run('--out', 'api/openapi.json')).code).to.equal(0);
    const text = await readFile(join(project.folder, 'api/openapi.json'), 'utf8');
    expect(Object.keys((JSON.parse(text) as Loose)['paths'] as Loose)).to.deep.equal(['/a']);
    expect((await run('--check', '--out', 'api/openapi.json')).code).to.equal(0);
    await project.write('definitions/a.json', defineReturnResource('a', 'other'));
    const stale = await run('--check', '--out', 'api/openapi.json');
    expect(stale.code).to.equal(1);
    expect(stale.stderr).to.contain('CLI_STALE').and.contain('api/openapi.json');
    expect(await readFile(join(project.folder, 'api/openapi.json'), 'utf8')).to.equal(text);
  });

  it('contains the column types of the database, where the text leaves them open', async () => {
    const write = (id: string, query: string, rest: object = {}): object => ({
      ...{ id, resource: id, actionables: [{ id: 1, mode: 'QUERY', sql_query: { query, parameters: [] }, ...rest }] },
    });
    await project.write('definitions/_sale.json', {
      id: { type: 'Number', primary_key: true, auto_increment: true },
      amount: { type: 'Float' },
      label: { type: 'String', blind_index: true },
      sold: { type: 'DateTime', optional: true },
    });
    await project.write('definitions/all.json', [
      write(
        'sums',
        'SELECT count(*) AS n, sum(amount) AS total, max(sold) AS last, max(sold) - min(sold) AS span FROM sales',
      ),
      write('inner', 'WITH s AS (SELECT * FROM sales) SELECT * FROM s'),
      write('both', "SELECT id AS n, 'a' AS t FROM sales UNION ALL SELECT 2, NULL"),
      write('plain', 'SELECT id, label FROM sales'),
      write(
        'list',
        'SELECT array_agg(id) AS ids, amount > 1 AS large, CASE WHEN amount > 2 THEN current_user::text END AS low FROM sales GROUP BY 2, 3',
      ),
    ]);
    const env = { ...SAMPLE_ENV, BLIND_INDEX_KEY: `hex:${'0123456789abcdef'.repeat(4)}` };
    const describe = async (): Promise<string> => {
      const { stdout, stderr } = await runCli(['openapi'], { cwd: project.folder, env });
      expect(stderr).to.equal('');
      return stdout;
    };
    const document = JSON.parse(await describe()) as JsonObject;
    expect(await listDocumentErrors(document)).to.equal('');
    const getColumns = (from: JsonObject, id: string): unknown => {
      const schema = getAnswerSchema(from, `/${id}`) as Loose;
      const row = (schema['items'] ?? (schema['anyOf'] as Loose[] | undefined)?.[0] ?? schema) as Loose;
      return row['properties'] ?? null;
    };
    const instant = { type: ['string', 'null'], format: 'date-time' };
    const sums = { n: { type: 'integer' }, total: { type: ['number', 'null'] }, last: instant, span: {} };
    const list = {
      ids: { type: ['array', 'null'] },
      large: { type: ['boolean', 'null'] },
      low: { type: ['string', 'null'] },
    };
    const text = { type: ['string', 'null'] };
    const columns = {
      sums,
      list,
      both: { n: { type: ['integer', 'null'] }, t: text },
      // The column of the blind index is not in responses.
      inner: { id: { type: ['integer', 'null'] }, amount: { type: ['number', 'null'] }, label: text, sold: instant },
    };
    for (const [id, expected] of Object.entries(columns)) expect(getColumns(document, id), id).to.deep.equal(expected);
    // No server is queried, so the document has the types of the texts.
    await project.write('definitions/all.json', [
      write('sums', 'SELECT count(*) AS n, sum(amount) AS total FROM sales'),
      write('inner', 'WITH s AS (SELECT * FROM sales) SELECT * FROM s'),
    ]);
    await project.write('lintel.config.json', {
      connections: { main: { use: 'mysql', url: 'mysql://127.0.0.1:1/x' } },
    });
    const open = JSON.parse(await describe()) as JsonObject;
    expect(getColumns(open, 'sums')).to.deep.equal({ n: { type: 'integer' }, total: {} });
    expect(getColumns(open, 'inner')).to.equal(null);
  });

  it('rejects definitions with errors, unless the config skips them', async () => {
    await project.write('definitions/a.json', [defineReturnResource('a', 1), { id: 'b', resource: 'b' }]);
    await project.write('definitions/c.json', defineReturnResource('c', 1));
    const rejected = await run();
    expect([rejected.code, rejected.stdout]).to.deep.equal([1, '']);
    expect(rejected.stderr).to.contain('DEF_REQUIRED');
    await project.write('lintel.config.json', { on_problem: 'skip' });
    const { code, stdout, stderr } = await run();
    expect(code).to.equal(0);
    expect(stderr).to.contain('DEF_REQUIRED');
    expect(Object.keys((JSON.parse(stdout) as Loose)['paths'] as Loose)).to.deep.equal(['/a', '/c']);
  });
});
