/** `lintel test --update`: values that are written into test files, and compared afterwards. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli, type Finished } from '../support/cli.js';
import { createTempProject, type TempProject } from '../support/project.js';

const SECRET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const answer = (id: string, value: object, more: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'RETURN', value, ...more }],
});
const NOTE = { id: '$GENERATOR.ULID', text: 'hello', tags: ['a', 'b'] };
const FILE = 'definitions/a.test.json';
const step = (id: string, expected: string, more = ''): string =>
  `{ "id": "${id}", "steps": [{ "request": { "resource": "${id}"${more} }, "expect": { "body": ${expected} } }] }`;
const wrap = (...cases: string[]): string =>
  `{\n  // Of notes.\n  "id": "all",\n  "cases": [\n    ${cases.join(',\n    ')}\n  ]\n}\n`;

describe('lintel test --update', () => {
  let project: TempProject;
  before(async () => {
    project = await createTempProject({
      '.env': `SECRET=${SECRET}\n`,
      'lintel.config.json': {},
      'definitions/note.resource.json': answer('note', NOTE),
      'definitions/echo.resource.json': answer(
        'echo',
        { said: '$PAYLOAD.text' },
        { payload_validation: [{ field: { text: { type: 'STRING' } } }] },
      ),
    });
  });
  after(() => project.dispose());
  const run = (...words: string[]): Promise<Finished> => runCli(['test', ...words], { cwd: project.folder });
  const read = (): Promise<string> => readFile(join(project.folder, FILE), 'utf8');

  it('writes missing and changed values, keeps comments and matchers, and then compares', async () => {
    await project.write(FILE, wrap(step('note', '{ "$snapshot": true }')));
    const missing = await run();
    expect(missing.code).to.equal(1);
    expect(missing.stdout).to.contain('expected a snapshot, which `lintel test --update` writes: {"id":"');
    const first = await run('--update');
    expect([first.code, first.stderr]).to.deep.equal([0, 'Snapshots written: 1, files changed: 1.\n']);
    const written = await read();
    expect(written)
      .to.match(/^\{\n {2}\/\/ Of notes\.\n/)
      .and.match(/"\$snapshot": \{\n {6}"id": "\w{26}",\n {6}"text": "hello",\n {6}"tags": \["a", "b"\]\n {4}\} \} \}/);

    // The identifier is new in each run, so a matcher replaces it; the layout and a comment are those of the author.
    const snapshot =
      '{ "$snapshot": {\n      "id": { "$any": "ulid" }, // new\n      "text": "hello", "tags": ["a", "b"] } }';
    const matched = wrap(step('note', snapshot));
    await project.write(FILE, matched);
    expect((await run()).code).to.equal(0);
    expect([(await run('--update')).stderr, await read()]).to.deep.equal([
      'Snapshots written: 0, files changed: 0.\n',
      matched,
    ]);

    await project.write(
      'definitions/note.resource.json',
      answer('note', { ...NOTE, text: 'bye', tags: ['a'], more: 1 }),
    );
    const differs = await run();
    expect(differs.code).to.equal(1);
    expect(differs.stdout).to.contain('expected "hello", received "bye" (`lintel test --update` writes it)');
    expect((await run('--update')).code).to.equal(0);
    const changed =
      '{ "$snapshot": {\n      "id": { "$any": "ulid" }, // new\n      "text": "bye", "tags": ["a"],\n      "more": 1 } }';
    expect(await read()).to.equal(wrap(step('note', changed)));
    expect((await run()).code).to.equal(0);
  });

  it('writes no secret, and nothing into a case with another failure', async () => {
    const body = (text: string): string => `, "body": { "text": ${JSON.stringify(text)} }`;
    const failing = step('note', '{ "$snapshot": true }').replace(
      '"expect": {',
      '"expect": { "headers": { "x-none": "1" },',
    );
    const text = wrap(
      step('echo', '{ "said": { "$snapshot": true } }', body(SECRET)).replace('"echo"', '"secret"'),
      failing.replace('"note"', '"failing"'),
      step('echo', '{ "said": { "$snapshot": true } }', body('fine')),
    );
    await project.write(FILE, text);
    const { code, stdout, stderr } = await run('--update');
    expect([code, stderr]).to.deep.equal([1, 'Snapshots written: 1, files changed: 1.\n']);
    expect(stdout).to.contain('no snapshot can be written: it has a secret or a token').and.not.contain(SECRET);
    expect(stdout).to.contain('1 passed, 2 failed');
    const fine = '"fine" } }, "expect": { "body": { "said": { "$snapshot": ';
    expect(await read()).to.equal(text.replace(`${fine}true`, `${fine}"fine"`));
  });

  it('writes into each group of a file', async () => {
    const groups = (one: string, two: string): string =>
      `[\n  {"id": "a", "cases": [${step('echo', one, ', "body": { "text": "1" }')}]},\n  // Two.\n  {"id": "b", "cases": [${step('echo', two, ', "body": { "text": "2" }')}]}\n]\n`;
    await project.write(FILE, groups('{ "$snapshot": true }', '{ "said": { "$snapshot": "another" } }'));
    const { code, stderr } = await run('--update');
    expect([code, stderr]).to.deep.equal([0, 'Snapshots written: 2, files changed: 1.\n']);
    expect(await read()).to.equal(groups('{ "$snapshot": { "said": "1" } }', '{ "said": { "$snapshot": "2" } }'));
  });

  it('rejects --watch and --mutants', async () => {
    for (const name of ['watch', 'mutants']) {
      const { code, stderr } = await run('--update', `--${name}`);
      expect([code, stderr]).to.deep.equal([2, `--update writes test files once, so it takes no --${name}.\n`]);
    }
  });
});
