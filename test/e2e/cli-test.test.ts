/** `lintel test`: cases over real HTTP on an embedded database, each with its own data; reports and exit codes. */
import { expect } from 'chai';
import { hostCli, runCli, type Finished } from '../support/cli.js';
import { linkPackage, listNamedFiles } from '../support/docs-page.js';
import { createTempProject, type Files, type TempProject } from '../support/project.js';
import { startStopwatch } from '../support/stopwatch.js';
import { itInCheck } from '../support/short-run.js';

const KEY = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.JWT_SECRET_KEY' };
const NOTE_ADD = {
  id: 'note-add',
  resource: 'notes/add',
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      main_returnable: true,
      payload_validation: [{ field: { text: { type: 'STRING' } }, min_length: 1, max_length: 50 }],
      sql_query: {
        query: 'INSERT INTO _note (id, text, owner) VALUES ($1, $2, $3)',
        parameters: ['$GENERATOR.ULID', 'text', '$PROTECTED.id'],
        unique: ['text'],
      },
    },
  ],
  tokenize: KEY,
  protected: { extract_claims: ['id'] },
  returnables: ['id', 'number', 'text'],
};
const NOTE_COUNT = {
  id: 'note-count',
  resource: 'notes/count/:owner',
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      sql_query: { query: 'SELECT count(*) AS count FROM _note WHERE owner = $1', parameters: ['$PAYLOAD.owner'] },
    },
  ],
};
const FILES: Files = {
  '.env.example': 'JWT_SECRET_KEY=generate:40\n',
  'lintel.config.json': { http: { methods: ['POST', 'GET'] } },
  'definitions/_note.model.json': {
    number: { type: 'Number', auto_increment: true, primary_key: true },
    id: { type: 'String', max_length: 26 },
    text: { type: 'String', max_length: 50 },
    owner: { type: 'String', max_length: 10, optional: true },
  },
  'definitions/note-add.resource.json': NOTE_ADD,
  'definitions/note-count.resource.json': NOTE_COUNT,
};

interface Report {
  readonly failed: number;
  readonly cases: readonly {
    readonly id: string;
    readonly outcome: string;
    readonly failures: readonly { readonly message: string; readonly range: { readonly start: object } }[];
  }[];
}

const add = (text: string, more: object = {}): object => ({
  request: { resource: 'note-add', body: { text } },
  ...more,
});
const group = (...cases: object[]): object => ({ id: 'notes', given: { claims: { id: 'anna' } }, cases });

describe('lintel test', () => {
  const projects: TempProject[] = [];
  after(() => Promise.all(projects.map((project) => project.dispose())));
  async function run(tests: unknown, ...words: string[]): Promise<Finished> {
    const project = await createTempProject({ ...FILES, 'definitions/notes.test.json': tests });
    projects.push(project);
    return runCli(['test', ...words], { cwd: project.folder });
  }
  const runJson = async (...cases: object[]): Promise<Report> =>
    JSON.parse((await run(group(...cases), '--reporter', 'json')).stdout) as Report;
  const messages = ({ cases }: Report): string[] =>
    cases.flatMap(({ id, failures }) => failures.map(({ message }) => `${id}: ${message}`));

  it('passes correct cases: parts of bodies, matchers, saved values, callers, problems, rows', async () => {
    const tests = group(
      {
        id: 'adds a note',
        given: { tables: { notes: [{ id: 'x', text: 'before', owner: 'bert' }] } },
        steps: [
          add('hello', {
            expect: {
              status: 200,
              headers: { 'content-type': { $contains: 'json' } },
              body: { id: { $any: 'ulid', $length: 26 }, number: { $between: [2, 2] } },
            },
            save: { id: 'id' },
          }),
        ],
        expect: {
          tables: {
            note: [
              { id: '$SAVED.id', owner: 'anna', number: 2 },
              { text: { $pattern: '^before$' }, number: 1 },
            ],
          },
        },
      },
      {
        id: 'counts from the start again, creates the listed identifiers first, and reads a path',
        given: { identifiers: [{ generator: 'ULID', values: ['01JADA00000000000000000000'] }] },
        steps: [
          add('hello', {
            expect: { body: { $exactly: { id: '01JADA00000000000000000000', number: 1, text: 'hello' } } },
            save: { text: 'text' },
          }),
          add('other', { expect: { body: { id: { $not: '01JADA00000000000000000000', $any: 'ulid' } } } }),
          { request: { path: '/notes/count/anna', method: 'GET' }, expect: { body: { count: 2 } } },
          { request: { resource: 'note-count', body: { owner: 'none' } }, expect: { body: { count: { $not: 1 } } } },
          add('$SAVED.text', { expect: { status: 409 } }),
        ],
      },
      {
        id: 'rejects without a change',
        given: { tables: { notes: [{ id: 'x', text: 'taken' }] } },
        steps: [
          add('', { expect: { problem: { code: 'VAL_PAYLOAD', pointer: '/text' } } }),
          { request: { resource: 'note-add', body: { text: 'a' }, as: false }, expect: { status: 401 } },
        ],
        expect: { unchanged: true },
      },
    );
    const { code, stdout, stderr } = await run(tests);
    expect(stderr).to.equal('');
    expect(stdout).to.contain('✓ adds a note').and.contain('3 passed');
    expect(code).to.equal(0);
  });

  it('changes rows between requests as another program, which is no change of the definitions', async () => {
    const tables = { notes: [{ id: 'x', text: 'before', owner: 'anna' }] };
    const count = (value: number): object => ({
      request: { resource: 'note-count', body: { owner: 'anna' } },
      expect: { body: { count: value } },
    });
    const change = { update: { notes: [{ where: { text: 'before' }, set: { text: 'changed', owner: null } }] } };
    const cases = [
      {
        id: 'rows',
        given: { tables },
        steps: [
          add('a', { save: { id: 'id' } }),
          { insert: { note: [{ id: 'y', text: '$SAVED.id', owner: 'anna' }] } },
          count(3),
          { delete: { _note: [{ id: '$SAVED.id' }, { text: { $contains: 'fore' } }] } },
          count(1),
          { update: { notes: [{ where: {}, set: { owner: 'bert' } }] } },
        ],
        expect: { tables: { notes: [{ id: 'y', text: { $any: 'ulid' }, owner: 'bert' }] } },
      },
      { id: 'only its own changes', given: { tables }, steps: [change, count(0)], expect: { unchanged: true } },
      { id: 'another change too', given: { tables }, steps: [change, add('a')], expect: { unchanged: true } },
      { id: 'no row', given: { tables }, steps: [{ delete: { notes: [{ text: 'before' }, { text: 'none' }] } }] },
      { id: 'a key', given: { tables }, steps: [{ insert: { notes: [{ id: 'y', number: 1, text: 'b' }] } }, count(1)] },
    ];
    const report = await runJson(...cases);
    expect(messages(report).map((text) => text.replace(/: \[\{.*/, ''))).to.deep.equal([
      'another change too: "_note" has changed; it has 2 row(s)',
      'no row: "_note" has no such row; it has []',
      'a key: duplicate key value violates unique constraint "_note_pkey"',
    ]);
    const text = JSON.stringify(group(...cases), null, 2);
    const line = text.slice(0, text.indexOf('"none"')).split('\n').length - 1;
    expect(report.cases[3]?.failures[0]?.range.start).to.have.property('line', line - 1);
  });

  it('fails wrong cases at their line, in every report', async () => {
    const cases = [
      { id: 'status', steps: [add('a', { expect: { status: 201 } })] },
      { id: 'success is expected', steps: [add('')] },
      { id: 'body', steps: [add('a', { expect: { body: { text: 'b', id: { $any: 'uuid' } } } })] },
      { id: 'rows', steps: [add('a')], expect: { tables: { notes: [{ text: 'b' }] } } },
      { id: 'too many rows', steps: [add('a')], expect: { tables: { notes: [] } } },
      { id: 'unchanged', steps: [add('a')], expect: { unchanged: true } },
      { id: 'problem', steps: [add('', { expect: { problem: { code: 'VAL_PAYLOAD', pointer: '/owner' } } })] },
      { id: 'no problem', steps: [add('a', { expect: { problem: { code: 'VAL_PAYLOAD' } } })] },
      { id: 'not saved', steps: [add('a', { save: { x: 'nothing' } })] },
    ];
    const report = await runJson(...cases);
    const found = messages(report).map((text) => text.replace(/[0-7][0-9A-Z]{25}/g, 'ULID'));
    expect(found).to.deep.include.members([
      'status: status: expected 201, received 200',
      'body: expected "b", received "a"',
      'body: expected any uuid, received "ULID"',
      'rows: expected "b", received "a"',
      'not saved: the body has no "nothing": {"id":"ULID","number":1,"text":"a"}',
    ]);
    for (const [id, part] of [
      ['success is expected', 'status: expected 200, received 422; the response: {'],
      ['too many rows', 'expected 0 row(s), received 1, also [{'],
      ['unchanged', '"_note" has changed; it has 1 row(s): [{'],
      ['problem', 'expected "/owner", received [{'],
      ['no problem', 'expected a problem, received status 200'],
    ] as const)
      expect(
        found.some((text) => text.startsWith(`${id}: ${part}`)),
        `${id}: ${found.join('\n')}`,
      ).to.equal(true);
    expect(report.failed).to.equal(cases.length);
    const [first] = cases;
    const failing = group(first!, { id: 'fine', steps: [add('a', { expect: { status: 200 } })] });
    const pretty = await run(failing);
    expect(pretty.code).to.equal(1);
    expect(pretty.stdout).to.match(/✗ status.*\n.*✓ fine.*\n[^]*notes\.test\.json:\d+:\d+[^]*"status": 201/);
    expect((await run(failing, '--reporter', 'tap')).stdout).to.match(
      /^TAP version 14\nnot ok 1 - notes: status\n +---\n[^]*expected 201[^]* +\.\.\.\nok 2 - notes: fine\n1\.\.2\n$/,
    );
    expect((await run(failing, '--reporter', 'junit')).stdout).to.contain(
      '<testsuite name="notes" tests="2" failures="1"',
    );
    const own = listNamedFiles('how-to/plugin-reporter.md');
    const project = await createTempProject({
      ...FILES,
      'definitions/notes.test.json': failing,
      ...Object.fromEntries(own),
      'package.json': { type: 'module' },
    });
    projects.push(project);
    await linkPackage(project.folder);
    expect((await runCli(['test', '--trust'], { cwd: project.folder })).stdout).to.match(
      /^::error file=definitions\/notes\.test\.json,line=\d+,title=status::status: expected 201[^]*\n2 cases\n$/,
    );
    const filtered = await run(failing, '--filter', 'FINE');
    expect([filtered.code, filtered.stdout]).to.satisfy(
      ([code, text]: [number, string]) => code === 0 && text.includes('1 passed'),
    );
  });

  it('reports errors in test files at their position, and exits with 2 if nothing runs', async () => {
    const wrong = group({
      id: 'wrong',
      given: { tables: { note: [{ txt: 'a' }], nots: [] } },
      steps: [
        {
          request: { resource: 'note-ad' },
          expect: { problem: { code: 'VAL_PAYLOD' }, body: { a: { $anyy: 'uuid' }, b: '$SAVED.b' } },
        },
      ],
    });
    const { code, stderr } = await run(wrong);
    expect(code).to.equal(1);
    for (const part of [
      'The model "_note" has no field "txt". Did you mean "text"?',
      'There is no model "nots". Did you mean "_note"?',
      'There is no resource with the id "note-ad". Did you mean "note-add"?',
      '"VAL_PAYLOD" is not allowed for "code"',
      'Did you mean "$any"?',
      '"$SAVED.b" is read here, but no earlier step of the case saves it.',
    ])
      expect(stderr).to.contain(part);
    expect((await run(group())).code).to.equal(2);
    expect((await run(group({ id: 'a', steps: [] }), '--filter', 'none')).code).to.equal(2);
    expect((await run(group({ id: 'a', steps: [] }), 'definitions/none.test.json')).stderr).to.equal(
      'No test file is at definitions/none.test.json.\n',
    );
    for (const place of ['definitions', './definitions/notes.test.json'])
      expect((await run(group({ id: 'a', steps: [] }), place)).code).to.equal(0);
    expect((await run(group(), '--reporter', 'prety')).stderr).to.contain('Did you mean "pretty"?');
  });

  it('never opens the configured database, and shows no secret', async () => {
    const project = await createTempProject({
      ...FILES,
      '.env': 'JWT_SECRET_KEY=abcdefghijklmnopqrstuvwxyz0123456789\nDATABASE_URL=postgres://nobody@127.0.0.1:1/none\n',
      'definitions/notes.test.json': group({
        id: 'leaks',
        steps: [{ ...add('abcdefghijklmnopqrstuvwxyz0123456789'), expect: { body: { text: 'a' } } }],
      }),
    });
    projects.push(project);
    const { code, stdout } = await runCli(['test'], { cwd: project.folder });
    expect(code).to.equal(1);
    expect(stdout).to.contain('expected "a", received "…"').and.not.contain('abcdefghij');
    await project.write('lintel.config.json', {
      connections: { main: { use: 'mysql', url: 'mysql://root@127.0.0.1:1/x' } },
    });
    const other = await runCli(['test'], { cwd: project.folder });
    expect([other.code, other.stderr]).to.deep.equal([
      2,
      '"main" uses mysql, and its statements cannot run on the embedded database of `lintel test`; `--database` runs them on its server.\n',
    ]);
  });

  it('lists the changes of definitions that no case notices', async () => {
    const noticed = {
      id: 'adds',
      steps: [
        add('a', { expect: { body: { $exactly: { id: { $any: 'ulid' }, number: 1, text: 'a' } } } }),
        add('a', { expect: { status: 409 } }),
        add('', { expect: { status: 422 } }),
      ],
      expect: { tables: { notes: [{ text: 'a', owner: 'anna' }] } },
    };
    const { code, stdout } = await run(group(noticed), '--mutants');
    expect(code).to.equal(0);
    // A text of 51 characters is never sent, and no case calls the other resource.
    expect(stdout).to.contain('"note-add" with "max_length" 51 in place of 50: 1 case(s) call it, and pass: "adds"');
    expect(stdout).to.match(/"note-count": no case calls it, so \d+ change\(s\) pass\n/);
    for (const change of ['with "min_length"', 'without "returnables"', 'without "payload_validation"'])
      expect(stdout).not.to.contain(`"note-add" ${change}`);
    expect(stdout).to.match(
      /\n\d+ of \d+ changes noticed, \d+ not; the checker reports \d+, and 1 leave the plans as they are\n/,
    );
    const again = await run(
      group(noticed, { ...noticed, id: 'fails', expect: { tables: { notes: [] } } }),
      '--mutants',
    );
    expect([again.code, again.stdout.includes('changes noticed')]).to.deep.equal([1, false]);
  });

  it('runs after each save the affected cases, until a signal', async () => {
    const one = (id: string, resource: string): object => ({
      id,
      steps: [{ request: { resource, body: { text: 'a', owner: 'a' } } }],
    });
    const tests = group(one('adds', 'note-add'), one('counts', 'note-count'));
    const project = await createTempProject({ ...FILES, 'definitions/notes.test.json': tests });
    projects.push(project);
    const running = hostCli(['test', '--watch'], { cwd: project.folder });
    const [first] = await running.waitForOutput(/[^]*waiting for changes/);
    expect(first).to.contain('✓ adds').and.contain('✓ counts').and.contain('2 passed');
    const { length } = running.output();
    await project.write('definitions/note-count.resource.json', { ...NOTE_COUNT, returnables: ['count'] });
    const [second] = await running.waitForOutput(/[^]*waiting for changes/, length);
    expect(second).to.contain('✓ counts').and.contain('1 passed').and.not.contain('adds');
    expect((await running.stop('SIGINT')).code).to.equal(0);
  });

  itInCheck('runs 300 cases in less than 5 seconds', async () => {
    const cases = Array.from({ length: 300 }, (_, at) => ({
      id: `case ${at}`,
      given: { tables: { notes: [{ id: 'x', text: 'before' }] } },
      steps: [add(`text ${at}`, { expect: { body: { number: 2 } } })],
      expect: { tables: { notes: [{ text: 'before' }, { text: `text ${at}` }] } },
    }));
    const elapsed = startStopwatch();
    const { failed, cases: done } = await runJson(...cases);
    expect([failed, done.length]).to.deep.equal([0, 300]);
    expect(elapsed()).to.be.lessThan(5000);
  });
});
