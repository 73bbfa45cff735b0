/** `lintel test --coverage`: which resources, actionables and refusals the cases reach, as a table, as LCOV and as JSON. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli, type Finished } from '../support/cli.js';
import { createTempProject, type Files, type TempProject } from '../support/project.js';

const KEY = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.JWT_SECRET_KEY' };
const FILES: Files = {
  '.env.example': 'JWT_SECRET_KEY=generate:40\n',
  'lintel.config.json': {},
  'definitions/_note.model.json': {
    id: { type: 'String', max_length: 26, primary_key: true },
    text: { type: 'String', max_length: 50 },
  },
  'definitions/note-add.resource.json': {
    id: 'note-add',
    resource: 'notes/add',
    tokenize: KEY,
    protected: { extract_claims: ['id'] },
    rate_limit: { limit: 9, expires_after: 60 },
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        payload_validation: [
          {
            field: { text: { type: 'STRING' }, tags: { type: 'STRINGARRAY' }, hue: { type: 'STRING', optional: true } },
          },
        ],
        sql_query: {
          query: 'INSERT INTO _note (id, text) VALUES ($1, $2)',
          parameters: ['$GENERATOR.ULID', 'text'],
          unique: ['text'],
        },
      },
      { id: 2, mode: 'RETURN', value: { tags: '$PAYLOAD.tags' }, run_in_background: true },
    ],
  },
  'definitions/note-find.resource.json': {
    id: 'note-find',
    resource: 'notes/find',
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        ...{ must_return_value: true, on_empty: { stop: true } },
        sql_query: { query: 'SELECT id, text FROM _note WHERE id = $1', parameters: ['$PAYLOAD.id'] },
      },
      { id: 2, mode: 'RETURN', depends_on: [{ resource_id: 'self', action_ids: [1] }], value: { found: true } },
    ],
  },
  'definitions/note-read.resource.json': {
    id: 'note-read',
    resource: 'notes/read',
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        must_return_value: true,
        sql_query: { query: 'SELECT id, text FROM _note WHERE id = $1', parameters: ['$PAYLOAD.id'] },
      },
    ],
  },
  'definitions/never.resource.json': {
    id: 'never',
    resource: 'never',
    actionables: [{ id: 1, mode: 'RETURN', value: 1 }],
  },
  'definitions/notes.test.json': {
    id: 'notes',
    given: { claims: { id: 'anna' } },
    cases: [
      {
        id: 'adds once',
        steps: [
          { request: { resource: 'note-add', body: { text: 'a', tags: [] } } },
          { request: { resource: 'note-add', body: { text: 'a', tags: [] } }, expect: { status: 409 } },
          { request: { resource: 'note-add', body: { tags: [] } }, expect: { status: 422 } },
        ],
      },
      {
        id: 'finds none',
        steps: [
          { request: { resource: 'note-read', body: { id: 'x' } }, expect: { status: 404 } },
          { request: { resource: 'note-find', body: { id: 'x' } } },
        ],
      },
    ],
  },
};

interface Place {
  readonly resource: string;
  readonly label: string;
  readonly hits: number;
}

describe('lintel test --coverage', () => {
  let project: TempProject;
  before(async () => (project = await createTempProject(FILES)));
  after(() => project.dispose());
  const run = (...words: string[]): Promise<Finished> => runCli(['test', ...words], { cwd: project.folder });

  it('prints a row for each resource and the places that no case reaches', async () => {
    const { code, stdout } = await run('--coverage');
    expect(code, stdout).to.equal(0);
    const table = stdout
      .slice(stdout.indexOf('resource '))
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
    expect(table.slice(0, 5)).to.deep.equal([
      ['resource', 'answers', 'actionables', 'refusals', 'branches'],
      ['never', 'no', '0/1', '-', '-'],
      ['note-add', 'yes', '1/2', '2/6', '1/2'],
      ['note-find', 'yes', '1/2', '-', '1/2'],
      ['note-read', 'no', '1/1', '1/1', '-'],
    ]);
    const missed = stdout.slice(stdout.indexOf('no case reaches:'));
    expect(missed).to.match(/definitions\/never\.resource\.json:1:1 +"never" is not called\n/);
    expect(missed).to.match(/note-add\.resource\.json:\d+:\d+ +"note-add": "protected" rejects\n/);
    expect(missed)
      .to.match(/"note-add": "rate_limit" rejects\n/)
      .and.match(/"note-add": 1: "tags" rejects\n/)
      .and.match(/"note-add": 1: "hue" is sent\n/)
      .and.not.match(/"hue" is left out/);
    expect(missed)
      .to.match(/"note-add": 2 runs\n/)
      .and.match(/"note-find": 1: "must_return_value" goes on\n/)
      .and.match(/"note-read": answers\n/);
    expect(missed).to.match(/\n10 of 21 places reached\n/);
  });

  it('writes LCOV for editors and services, and JSON', async () => {
    const { code } = await run('--coverage-file', 'out/lcov.info', '--reporter', 'tap');
    expect(code).to.equal(0);
    const records = (await readFile(join(project.folder, 'out/lcov.info'), 'utf8')).split('end_of_record\n');
    const record = records.find((text) => text.includes('note-read.resource.json')) ?? '';
    const lines = record.trim().split('\n');
    expect(lines.slice(0, 4)).to.deep.equal([
      'TN:',
      'SF:definitions/note-read.resource.json',
      'FN:1,note-read',
      'FNDA:0,note-read',
    ]);
    expect(lines.filter((line) => /^BRDA:\d+,0,\d+,1$/.test(line))).to.have.length(1);
    expect((await run('--coverage-file', 'out/places.json')).code).to.equal(0);
    const { reached, of, places } = JSON.parse(await readFile(join(project.folder, 'out/places.json'), 'utf8')) as {
      readonly reached: number;
      readonly of: number;
      readonly places: readonly Place[];
    };
    expect([reached, of, places.length]).to.deep.equal([10, 21, 21]);
    const hits = places.flatMap((place) => (place.resource === 'note-add' ? [[place.label, place.hits]] : []));
    expect(Object.fromEntries(hits)).to.include({
      answers: 1,
      '1 runs': 2,
      '1: "unique" rejects': 1,
      '1: "text" rejects': 1,
    });
  });

  it('prints the table in the readable report only: with another reporter it only writes the file', async () => {
    const { code, stderr } = await run('--coverage', '--reporter', 'json');
    expect([code, stderr]).to.deep.equal([2, '--coverage prints for readers, so it takes no other --reporter.\n']);
  });

  it('counts the coverage of cases in each environment, and not that of mutants', async () => {
    const call = (id: string, name: string): object => ({
      id,
      given: { environment: { NAME: name } },
      steps: [{ request: { resource: 'one', body: { text: 'a' } } }],
    });
    const small = await createTempProject({
      'lintel.config.json': {},
      'definitions/one.resource.json': {
        id: 'one',
        resource: 'one',
        actionables: [
          {
            id: 1,
            mode: 'RETURN',
            payload_validation: [{ field: { text: { type: 'STRING' } }, max_length: 5 }],
            value: { text: '$PAYLOAD.text' },
          },
        ],
      },
      'definitions/one.test.json': { id: 'one', cases: [call('in one', 'x'), call('in another', 'y')] },
    });
    try {
      const { code, stderr } = await runCli(['test', '--mutants', '--coverage-file', 'places.json'], {
        cwd: small.folder,
      });
      expect(code, stderr).to.equal(0);
      const { places } = JSON.parse(await readFile(join(small.folder, 'places.json'), 'utf8')) as {
        readonly places: readonly Place[];
      };
      expect(places.map(({ label, hits }) => [label, hits])).to.deep.equal([
        ['answers', 2],
        ['1 runs', 2],
        ['1: "text" rejects', 0],
      ]);
    } finally {
      await small.dispose();
    }
  });
});
