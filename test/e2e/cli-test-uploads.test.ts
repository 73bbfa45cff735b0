/** `lintel test`: files that a case stores, sends in a form, and expects in the storage. */
import { expect } from 'chai';
import { runCli } from '../support/cli.js';
import { createTempProject, type TempProject } from '../support/project.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const RESOURCES = [
  {
    id: 'photo-add',
    resource: 'photos/add',
    actionables: [
      {
        id: 1,
        mode: 'UPLOAD',
        uploads: { max_file_uploads: 2, allowed_mimetypes: ['image/png', 'text/plain'], upload_folder: 'photos' },
      },
      {
        id: 2,
        mode: 'QUERY',
        sql_query: {
          multi: true,
          query: 'INSERT INTO _photo (key, name, album) VALUES ($1, $2, $3)',
          parameters: ['storage_key', 'original_file_name', '$PAYLOAD.album'],
        },
        depends_on: [{ resource_id: 'self', action_ids: [1] }],
        returnables: ['key', 'name'],
      },
    ],
    combine_returned_results_from: [2],
  },
  {
    id: 'photo-remove',
    resource: 'photos/remove',
    actionables: [{ id: 1, mode: 'UPLOAD', uploads: { upload_folder: 'photos', delete_files: true } }],
  },
];
const add = (files: object[], more: object = {}): object => ({
  request: { resource: 'photo-add', files, body: { album: 'summer' } },
  ...more,
});
const TEXT = { field: 'note', type: 'text/plain', text: 'hello' };

describe('lintel test: files', () => {
  let project: TempProject;
  before(async () => {
    project = await createTempProject({
      'outside.txt': 'hello',
      'app/lintel.config.json': {},
      'app/definitions/_photo.model.json': {
        key: { type: 'String', primary_key: true, max_length: 200 },
        name: { type: 'String', max_length: 100 },
        album: { type: 'String', max_length: 20 },
      },
      'app/definitions/photos.resource.json': RESOURCES,
      'app/definitions/hello.txt': 'hello',
    });
  });
  after(() => project.dispose());

  async function run(...cases: object[]): Promise<{ found: Record<string, string[]>; stderr: string }> {
    await project.write('app/definitions/a.test.json', { id: 'all', cases });
    const { stdout, stderr } = await runCli(['test', '--reporter', 'json'], { cwd: `${project.folder}/app` });
    if (stdout === '') return { found: {}, stderr };
    const report = JSON.parse(stdout) as { cases: { id: string; failures: { message: string }[] }[] };
    const found = report.cases.map(({ id, failures }) => [id, failures.map(({ message }) => message)] as const);
    return { found: Object.fromEntries(found), stderr };
  }

  it('sends texts, bytes and files next to the test, compares what is stored, and fails what differs', async () => {
    const right = [
      {
        id: 'two files and a field',
        steps: [
          add(
            [
              { field: 'photo', name: 'été "1".png', type: 'image/png', base64: PIXEL },
              { field: 'note', type: 'text/plain', path: 'hello.txt' },
            ],
            {
              expect: {
                body: [{ name: 'été "1".png' }, { name: 'hello.txt' }],
              },
              save: { key: '0.key' },
            },
          ),
        ],
        expect: {
          tables: { photo: [{ key: '$SAVED.key', album: 'summer' }, { name: 'hello.txt' }] },
          files: [
            { key: { $pattern: '^photos/.*[.]txt$' }, size: 5, text: { $contains: 'ell' }, path: 'hello.txt' },
            { key: '$SAVED.key', size: { $between: [60, 80] }, base64: PIXEL },
          ],
        },
      },
      {
        id: 'what is given is removed',
        given: {
          files: [
            { key: 'photos/a.txt', text: 'a' },
            { key: 'kept/b.txt', path: 'hello.txt' },
          ],
        },
        steps: [{ request: { resource: 'photo-remove', body: ['photos/a.txt'] } }],
        expect: { files: [{ key: 'kept/b.txt', text: 'hello' }], unchanged: true },
      },
      {
        id: 'a rejected file leaves nothing',
        given: { files: [{ key: 'photos/a.txt', text: 'a' }] },
        steps: [
          add([{ ...TEXT, type: 'image/png' }], {
            expect: { problem: { code: 'UPL_TYPE_REFUSED', pointer: '/note' } },
          }),
        ],
        expect: { unchanged: true },
      },
      { id: 'and nothing of the one before', steps: [], expect: { files: [] } },
    ];
    const wrong = [
      { id: 'content', steps: [add([TEXT])], expect: { files: [{ size: 5, text: 'other' }] } },
      {
        id: 'same content',
        steps: [add([{ ...TEXT, text: 'hallo' }])],
        expect: { files: [{ size: 6, path: 'hello.txt' }] },
      },
      { id: 'too many', steps: [add([TEXT])], expect: { files: [] } },
      { id: 'changed', steps: [add([TEXT])], expect: { unchanged: true, tables: { photo: [{}] } } },
      { id: 'absent', steps: [add([{ field: 'note', type: 'text/plain', path: 'hallo.txt' }])] },
      { id: 'outside', steps: [add([{ field: 'note', type: 'text/plain', path: '../../outside.txt' }])] },
      { id: 'no form', steps: [{ request: { resource: 'photo-add', files: [TEXT], body: [1] } }] },
    ];
    // One run, because each starts a server.
    const { found, stderr } = await run(...right, ...wrong);
    expect(stderr).to.equal('');
    expect(right.flatMap(({ id }) => found[id])).to.deep.equal([]);
    expect(found['content']).to.deep.equal(['expected "other", received "hello"']);
    expect(found['same content']).to.deep.equal(['expected 6, received 5', 'the content is not that of hello.txt']);
    expect(found['too many']?.join()).to.match(
      /expected 0 file\(s\), received 1, also \[\{"key":"photos.*"text":"hello"\}\]/,
    );
    expect(found['changed']?.join()).to.match(/the storage has changed; it has 1 file\(s\): \["photos\//);
    expect(found['absent']).to.deep.equal(['there is no file "hallo.txt" in the folder of the test file']);
    expect(found['outside']).to.deep.equal(['the file "../../outside.txt" is outside the folder of the config']);
    expect(found['no form']).to.deep.equal(['with "files", "body" is an object: the parts of a form']);
  });

  it('reports files without content, with two, and wrong keys at their place', async () => {
    const form = await run({
      id: 'wrong',
      given: { files: [{ key: '../a', text: '' }] },
      steps: [add([{ field: 'b', type: 'text', base64: '?' }])],
    });
    for (const name of ['key', 'type', 'base64'])
      expect(form.stderr).to.contain(`error DEF_FORMAT "${name}" has the wrong form`);
    const choice = await run({
      id: 'wrong',
      given: { files: [{ key: 'a', text: '', path: 'a' }] },
      steps: [add([{ field: 'a', type: 'text/plain' }])],
    });
    expect(choice.stderr).to.contain('error DEF_CHOICE_MISSING This file needs one of "text", "base64", "path".');
    expect(choice.stderr).to.contain('error DEF_CHOICE_MANY This file takes only one of "text", "base64", "path".');
  });
});
