/** A project whose fields are written in camelCase: one row for each field, not one for each place in a statement. */
import { expect } from 'chai';
import { runCli } from '../support/cli.js';
import { createTempProject, type TempProject } from '../support/project.js';

const KEY = { type: 'Number', primary_key: true, auto_increment: true };
const TABLES = [
  ['customers', 'firstName', 'STRING'],
  ['lines', 'unitPrice', 'NUMBER'],
  ['orders', 'totalAmount', 'NUMBER'],
] as const;
const MODELS = {
  'definitions/_customer.json': { id: KEY, firstName: { type: 'String' }, createdAt: { type: 'DateTime' } },
  'definitions/_line.json': { id: KEY, unitPrice: { type: 'Float' }, createdAt: { type: 'DateTime' } },
  'definitions/_order.json': { id: KEY, totalAmount: { type: 'Float' }, createdAt: { type: 'DateTime' } },
};
const FIELDS = ['createdAt', 'firstName', 'totalAmount', 'unitPrice'];

const resources = Array.from({ length: 18 }, (_, i) => {
  const [table, column, type] = TABLES[i % TABLES.length] ?? TABLES[0];
  const query = `SELECT id, ${column}, createdAt FROM ${table} WHERE ${column} = $1 AND id > ${i} ORDER BY createdAt`;
  return {
    ...{ id: `r${i}`, resource: `r${i}`, returnables: ['id'] },
    actionables: [
      {
        ...{ id: 1, mode: 'QUERY', payload_validation: [{ field: { [column]: { type } } }] },
        sql_query: { query, parameters: [column] },
      },
    ],
  };
});

describe('lintel check: one row for one cause', function () {
  let project: TempProject;
  before(async () => {
    const files = Object.fromEntries(resources.map((one) => [`definitions/${one.id}.json`, one]));
    project = await createTempProject({ ...MODELS, ...files });
  });
  after(() => project.dispose());

  it('the fields of a project in camelCase', async () => {
    const { code, stdout } = await runCli(['check'], { cwd: project.folder, env: {} });
    expect(code).to.equal(1);
    const frames = stdout.trim().split('\n\n');
    // Three models and 18 statements with four names each.
    expect(frames.at(-1)).to.equal('4 errors, 0 warnings, 0 hints, at 78 places');
    expect(frames).to.have.length(FIELDS.length + 1);
    for (const field of FIELDS)
      expect(
        frames.filter((frame) => frame.includes(`"${field}" needs double quotes`)),
        field,
      ).to.have.length(1);
    expect(stdout).to.match(/also at \S+, \S+, \S+ and \d+ more/);
  });

  it('each position is a row in formats for programs', async () => {
    const { stdout } = await runCli(['check', '--format', 'json'], { cwd: project.folder, env: {} });
    expect(JSON.parse(stdout)).to.have.length(78);
  });
});
