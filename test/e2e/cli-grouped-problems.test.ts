/** Lists for people have one row for each cause, with its places: a field in camelCase, a name or a variable that is wrong everywhere. */
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

  it('reports the fields of a project in camelCase once', async () => {
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

  it('reports each position in machine-readable formats', async () => {
    const { stdout } = await runCli(['check', '--format', 'json'], { cwd: project.folder, env: {} });
    expect(JSON.parse(stdout)).to.have.length(78);
  });
});

/** A resource with one mistake, which `count` resources share. */
interface Mistake {
  readonly what: string;
  readonly code: string;
  /** Of each resource. */
  readonly places?: number;
  readonly make: (name: string) => object;
}

const sign = { type: 'JWT', algorithm: 'HS256' };
const select = (query: string, rest: object = {}, parameters: readonly unknown[] = []): object => ({
  actionables: [{ id: 1, mode: 'QUERY', sql_query: { query, parameters }, ...rest }],
});
const insert = (value: string): object => select('INSERT INTO notes (title) VALUES ($1)', {}, [value]);
const call = (url: string): object => ({ actionables: [{ id: 1, mode: 'HTTPREQUEST', http: { url, method: 'GET' } }] });
const decrypt = (key: string): object =>
  select('SELECT title FROM notes', {
    ciphers: [{ algorithm: 'Aes256Gcm', operation: 'Decrypt', properties: ['title'], options: { key } }],
  });
const dependOn = (id: string, action: number): object =>
  select('SELECT title FROM notes', { depends_on: [{ resource_id: id, action_ids: [action] }] });

const MISTAKES: readonly Mistake[] = [
  { what: 'an unset variable', code: 'ENV_MISSING', make: () => call('$ENV.NOWHERE/x') },
  {
    what: 'an unset key',
    code: 'ENV_MISSING',
    make: () => ({ tokenize: { ...sign, encryption_key: '$ENV.NO_KEY' } }),
  },
  { what: 'a blank key', code: 'ENV_BLANK', make: () => ({ tokenize: { ...sign, encryption_key: '$ENV.BLANK' } }) },
  {
    what: 'a sample key',
    code: 'TOK_KEY',
    make: () => ({ tokenize: { ...sign, encryption_key: '$ENV.SAMPLE' } }),
  },
  { what: 'a URL with an invalid scheme', code: 'OUT_URL', make: () => call('$ENV.ADDRESS/x') },
  { what: 'a key of invalid length', code: 'CPH_KEY', make: () => decrypt('$ENV.SHORT') },
  { what: 'another key of invalid length', code: 'CPH_KEY', make: () => decrypt('$ENV.SHORTER') },
  { what: 'a table without a model', code: 'SQL_TABLE', make: () => select('SELECT id FROM nothing_here') },
  {
    what: 'a renamed column',
    code: 'SQL_COLUMN',
    places: 2,
    make: () => select('SELECT heading FROM notes ORDER BY heading'),
  },
  { what: 'a generator', code: 'DEF_UNKNOWN_PLUGIN', make: () => insert('$GENERATOR.SNOWFLAKE') },
  { what: 'a mode', code: 'DEF_UNKNOWN_PLUGIN', make: () => ({ actionables: [{ id: 1, mode: 'GRAPHQL' }] }) },
  { what: 'an unknown field', code: 'DEF_INVENTED', make: () => ({ throttle: { limit: 3 } }) },
  { what: 'an unknown accessor', code: 'ACC_INVENTED', make: () => insert('$USER.id') },
  {
    what: 'a connection',
    code: 'LNK_UNKNOWN_CONNECTION',
    make: () => select('SELECT 1 AS n', { sql_query: { query: 'SELECT 1 AS n', connection: 'reports' } }),
  },
  { what: 'a resource', code: 'LNK_UNKNOWN_RESOURCE', make: () => dependOn('profile', 1) },
  { what: 'an actionable', code: 'LNK_UNKNOWN_ACTION', make: () => dependOn('base', 7) },
  { what: 'a function', code: 'SQL_REFUSED', make: () => select('SELECT slug(title) AS s FROM notes') },
  { what: 'a type', code: 'SQL_REFUSED', make: () => select('SELECT title::money2 AS t FROM notes') },
  {
    what: 'a disabled feature, and what reads from it',
    code: 'DEF_UNKNOWN_PLUGIN',
    make: () => ({ ...insert('$PROTECTED.id'), protected: { provide_as: 'Authorization', extract_claims: ['id'] } }),
  },
];
const EACH = 3;

describe('lintel check: one row for a mistake in many resources', function () {
  let project: TempProject;
  const env = {
    ...{
      BLANK: '  ',
      SAMPLE: 'a-string-secret-at-least-256-bits-long',
      ADDRESS: 'ftp://example.com',
      SHORT: 'hex:0011',
      SHORTER: 'hex:22',
    },
    GOOD: 'k8Zq2vN4xR7tY1wB5mC9pL3sD6fG0hJ2',
  };
  const wrong = MISTAKES.flatMap(({ make }, m) =>
    Array.from({ length: EACH }, (_, i) => {
      const id = `m${m}-${i}`;
      const plain = { id, resource: id, actionables: [{ id: 1, mode: 'RETURN', value: { a: 1 } }] };
      return { ...plain, ...make(id) };
    }),
  );
  before(async () => {
    project = await createTempProject({
      'lintel.config.json': { disable: ['feature:protected'] },
      'definitions/_note.json': { id: KEY, title: { type: 'String' } },
      'definitions/base.json': { id: 'base', resource: 'base', actionables: [{ id: 1, mode: 'RETURN', value: 1 }] },
      'definitions/wrong.json': wrong,
      // Errors of a table are not repeated for the statements that use it.
      'definitions/_broken.json': '{ "id": { "type": "Number", "primary_key": true }, "na',
      'definitions/reads.json': { id: 'reads', resource: 'reads', ...select('SELECT name FROM brokens') },
    });
  });
  after(() => project.dispose());

  it('lists its locations', async () => {
    const { stdout } = await runCli(['check'], { cwd: project.folder, env });
    const frames = stdout.trim().split('\n\n').slice(0, -1);
    const found = frames.map((frame) => {
      const [, code = ''] = /^(?:error|warning) (\S+) /.exec(frame) ?? [];
      const [, listed = ''] = /also at (.*)$/.exec(frame) ?? [];
      const [, more = '0'] = / and (\d+) more$/.exec(listed) ?? [];
      return `${code} ${(listed === '' ? 1 : 1 + listed.split(', ').length) + Number(more)}`;
    });
    const expected = MISTAKES.map(({ code, places = 1 }) => `${code} ${places * EACH}`);
    // Of the invalid file, and advice about returned columns.
    const others = found.filter((row) => !/^(?:SRC|RET)_/.test(row));
    expect(others.sort(), stdout).to.deep.equal(expected.sort());
  });

  it('reports each variable separately', async () => {
    const { stdout } = await runCli(['check'], { cwd: project.folder, env });
    for (const name of ['NOWHERE', 'NO_KEY', 'BLANK', 'SHORT"', 'SHORTER'])
      expect(stdout.split(name).length - 1, name).to.be.greaterThan(0);
  });
});
