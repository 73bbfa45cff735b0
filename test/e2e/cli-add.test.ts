/** `lintel add crud`: the resources and tests that it writes check clean, pass, and answer over HTTP. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli, type Finished } from '../support/cli.js';
import type { Loose } from '../support/client.js';
import { createTempProject, type TempProject } from '../support/project.js';

const GUARD = {
  tokenize: { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.JWT_SECRET_KEY' },
  protected: { provide_as: 'Authorization', extract_claims: ['id'] },
};
const FILES = {
  'lintel.config.json': {},
  '.env': 'JWT_SECRET_KEY=w3Xp8Lq2Rt6Vz9Bn4Mk7Hs5Jd1Fg0CyQ\n',
  'definitions/models/_user.model.json': {
    id: { type: 'String', primary_key: true, max_length: 26 },
    email: { type: 'String', max_length: 254, unique: true },
  },
  'definitions/models/_note.model.json': {
    id: { type: 'String', primary_key: true, max_length: 26 },
    user_id: { type: 'String', max_length: 26, foreign_key: { of: '_user', key: 'id' } },
    text: { type: 'String', max_length: 500 },
    order: { type: 'Number', unique: true },
    done: { type: 'Boolean' },
    price: { type: 'Float', optional: true },
    tags: { type: 'JSON_ARRAY', property_type: 'String', optional: true },
    extra: { type: 'JSON_OBJECT', optional: true },
    due_at: { type: 'DateTime' },
    created_at: { type: 'DateTime' },
    updated_at: { type: 'DateTime' },
    deleted_at: { type: 'DateTime', optional: true },
  },
  'definitions/models/_line.model.json': {
    note_id: { type: 'String', primary_key: true, max_length: 26, foreign_key: { of: '_note', key: 'id' } },
    position: { type: 'Number', primary_key: true },
    label: { type: 'String', max_length: 20, optional: true },
  },
  'definitions/models/_profile.model.json': {
    user_id: { type: 'String', primary_key: true, max_length: 26, foreign_key: { of: '_user', key: 'id' } },
    about: { type: 'String', max_length: 200 },
  },
  'definitions/models/_log.model.json': { text: { type: 'String' } },
  'definitions/models/_task.model.json': {
    id: { type: 'Number', primary_key: true },
    ...Object.fromEntries(
      ['owner', 'helper'].map((name) => [
        name,
        { type: 'String', max_length: 26, foreign_key: { of: '_user', key: 'id' } },
      ]),
    ),
  },
  'definitions/resources/sign-in.resource.json': {
    id: 'sign-in',
    resource: 'sign-in',
    tokenize: { ...GUARD.tokenize, expiration: 3600, custom_claim_fields: ['id'], property_name: 'token' },
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        payload_validation: [{ field: { email: { type: 'EMAIL' } } }],
        sql_query: { query: 'SELECT id FROM users WHERE email = $1', parameters: ['email'] },
        must_return_value: true,
      },
    ],
    returnables: ['id', 'token'],
  },
  'definitions/resources/me.resource.json': {
    id: 'me',
    resource: 'me',
    ...GUARD,
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        sql_query: { query: 'SELECT id, email FROM users WHERE id = $1', parameters: ['$PROTECTED.id'] },
      },
    ],
    returnables: ['id', 'email'],
  },
};

interface Resource {
  readonly id: string;
  readonly actionables: readonly [
    {
      readonly sql_query: {
        readonly query: string;
        readonly parameters: readonly string[];
        readonly soft_delete?: true;
      };
    },
  ];
}

describe('lintel add crud', () => {
  let project: TempProject;
  before(async () => (project = await createTempProject(FILES)));
  after(() => project.dispose());
  const run = (...words: string[]): Promise<Finished> => runCli(words, { cwd: project.folder });
  const readResource = (name: string): Promise<string> =>
    readFile(join(project.folder, 'definitions', 'resources', `${name}.resource.json`), 'utf8');

  it('prints both files with --dry-run, and writes none', async () => {
    const { code, stdout } = await run('add', 'crud', 'notes', '--dry-run');
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/^definitions\/resources\/note\.resource\.json\n\[\n/)
      .and.contain('\ndefinitions/tests/note.test.json\n{\n');
    expect(await readdir(join(project.folder, 'definitions'))).to.have.members(['models', 'resources']);
  });

  it('writes resources with the guard of the project, limited to rows of the signed-in user', async () => {
    const { code, stdout, stderr } = await run('add', 'crud', 'notes');
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.equal(
      'wrote definitions/resources/note.resource.json\nwrote definitions/tests/note.test.json\n' +
        'Callers reach the rows whose "user_id" is their claim "id".\n',
    );
    const resources = JSON.parse(await readResource('note')) as Resource[];
    expect(resources.map(({ id }) => id)).to.deep.equal(
      ['list', 'read', 'create', 'update', 'delete'].map((work) => `note-${work}`),
    );
    for (const one of resources) {
      expect(one).to.deep.include(GUARD);
      const { query, parameters } = one.actionables[0].sql_query;
      expect(parameters).to.include('$PROTECTED.id');
      if (one.id !== 'note-create') expect(query).to.contain('user_id = $').and.contain('deleted_at IS NULL');
    }
    expect(resources[4]?.actionables[0].sql_query.soft_delete).to.equal(true);
  });

  it('writes resources for rows with a combined key, and for the only row of a user', async () => {
    expect((await run('add', 'crud', '_line')).stdout).to.contain('Every caller with a token reaches every row');
    expect((await run('add', 'crud', 'profile')).stdout).to.contain('whose "user_id" is their claim "id"');
    expect(await readResource('line')).to.contain('WHERE note_id = $1 AND position = $2');
    expect(await readResource('profile')).to.contain('SELECT user_id, about FROM _profile WHERE user_id = $1"');
  });

  it('writes definitions without errors, whose tests pass', async () => {
    const checked = await run('check', '--format', 'json');
    expect([checked.code, checked.stderr]).to.deep.equal([0, '']);
    const codes = (JSON.parse(checked.stdout) as Loose[]).map(({ code }) => code as string);
    // Only of the rows that every caller may change, and of true or false, for which there is no rule.
    expect(codes.sort()).to.deep.equal(['LNK_UNDECLARED', 'SEC_NO_OWNER', 'SEC_NO_OWNER']);
    const tested = await run('test');
    expect([tested.code, tested.stderr]).to.deep.equal([0, '']);
    expect(tested.stdout).to.match(/\n23 passed in /);
  });

  it('overwrites nothing, and reports why it writes nothing', async () => {
    const before = await readResource('note');
    for (const [words, message] of [
      [['crud', 'note'], 'There is a resource "note-list" already; nothing was written.\n'],
      [['crud', 'nots'], 'There is no model "nots". Did you mean "_note"?\n'],
      [['crud', '_log'], 'The model "_log" has no primary key, so no request can name a row.\n'],
      [['crud', 'task', '--owner', 'ownr'], 'The model "_task" has no field "ownr". Did you mean "owner"?\n'],
      [['crud', 'task'], 'Several columns refer to the signed-in user: owner, helper. Say which with --owner.\n'],
    ] as const)
      expect([(await run('add', ...words)).stderr]).to.deep.equal([message]);
    await project.write('definitions/models/_pin.model.json', {
      id: { type: 'String', primary_key: true },
      pin: { type: 'String' },
    });
    const query = { query: 'INSERT INTO pin (id, pin) VALUES ($1, $2)', parameters: ['$GENERATOR.ULID', 'pin'] };
    const hashed = { id: 1, mode: 'QUERY', hashables: [{ property: 'pin', algorithm: 'BCRYPT' }], sql_query: query };
    const set = { id: 'pin-set', resource: 'pin-set', actionables: [hashed], returnables: ['id'] };
    await project.write('definitions/resources/pin-set.resource.json', set);
    expect((await run('add', 'crud', 'pin')).stderr).to.match(/^"pin" of the model "_pin" is hashed or encrypted/);
    expect((await run('add', 'model', 'x')).code).to.equal(2);
    expect(await readResource('note')).to.equal(before);
    const named = await run('add', 'crud', 'task', '--owner', 'helper', '--dry-run');
    expect(named.stdout).to.contain('helper = $').and.not.contain('owner = $PROTECTED');
  });
});

describe('lintel add crud, in a project without a guard', () => {
  it('writes open resources with a warning, and rejects an owner', async () => {
    const project = await createTempProject({
      'lintel.config.json': {},
      'definitions/models/_city.model.json': {
        id: { type: 'Number', primary_key: true, auto_increment: true },
        name: { type: 'String', max_length: 80, indexable: true },
        country: { type: 'Number', optional: true, foreign_key: { of: '_country', key: 'id' } },
      },
      'definitions/models/_country.model.json': {
        id: { type: 'Number', primary_key: true },
        capital: { type: 'Number', foreign_key: { of: '_city', key: 'id' } },
      },
    });
    try {
      const run = (...words: string[]): Promise<Finished> => runCli(words, { cwd: project.folder });
      const owned = await run('add', 'crud', 'cities', '--owner', 'name');
      expect(owned.stderr).to.match(/^An owner needs a signed-in user, and no resource has `protected`/);
      const { stdout } = await run('add', 'crud', 'cities');
      expect(stdout).to.contain('No resource of the project has a guard: everybody may call these.');
      // The tables refer to each other.
      expect((await run('add', 'crud', 'country')).code).to.equal(0);
      expect((await run('check', '--format', 'json')).stdout).to.equal('[]\n');
      const tested = await run('test');
      expect([tested.code, tested.stderr]).to.deep.equal([0, '']);
    } finally {
      await project.dispose();
    }
  });
});
