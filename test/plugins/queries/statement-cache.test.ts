/** What earlier starts have parsed and found: read from files, and never in the place of anything else. */
import { chmod, chown, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { JsonObject } from '../../../contract/json.js';
import { createDefinitionReader } from '../../../language/project/definition-files.js';
import { FINDINGS_FILE } from '../../../language/project/findings-cache.js';
import { loadDefinitions, type LoadedDefinitions } from '../../../language/project/project.js';
import { CACHE_FILE, openStatementCache } from '../../../plugins/queries/sql/parser/statement-cache.js';
import { loadProject } from '../../../plugins/distribution.js';
import { createTempProject, defineQueryResource, PLUGIN_FIXTURES, type TempProject } from '../../support/project.js';
import { waitUntil } from '../../support/until.js';

interface CacheFile {
  readonly parser: string;
  readonly texts: Record<string, { readonly statements: readonly JsonObject[]; readonly fault: null }>;
}

const MODEL = { id: { type: 'Number', primary_key: true }, text: { type: 'String' } };

describe('the cache of parsed statements', () => {
  const projects: TempProject[] = [];
  after(() => Promise.all(projects.map((project) => project.dispose())));

  async function createProject(query = 'SELECT text FROM notes WHERE id = $1'): Promise<TempProject> {
    const project = await createTempProject({
      'definitions/_note.model.json': MODEL,
      'definitions/read.json': defineQueryResource('read', query, ['$PAYLOAD.id']),
    });
    projects.push(project);
    return project;
  }
  const readCache = async ({ folder }: TempProject): Promise<CacheFile> =>
    JSON.parse(await readFile(join(folder, CACHE_FILE), 'utf8')) as CacheFile;
  const writeCache = ({ folder }: TempProject, cache: unknown): Promise<void> =>
    writeFile(join(folder, CACHE_FILE), JSON.stringify(cache));

  /** Codes of the problems, as `lintel serve` finds them or as `lintel check` does. */
  async function listCodes({ folder }: TempProject, usesCache: boolean): Promise<string[]> {
    const project = await loadProject(folder, undefined, {});
    if (project.config === null) throw new Error(JSON.stringify(project.configProblems));
    const { problems } = await loadDefinitions({ ...project, usesCache }, project.config);
    return problems.map(({ code, message }) => `${code} ${message}`);
  }
  const waitForCache = (project: TempProject, part: string): Promise<void> =>
    waitUntil(() =>
      readCache(project).then(
        ({ texts }) => Object.keys(texts).some((text) => text.includes(part)),
        () => false,
      ),
    );

  it('returns cached statements, and loads the parser only for others', async () => {
    const { folder } = await createProject();
    const first = await openStatementCache(folder);
    const parsed = first.parse('SELECT 1');
    expect(parsed.statements).to.have.length(1);
    await first.writeChanges();

    const second = await openStatementCache(folder);
    expect(second.parse('SELECT 1')).to.deep.equal(parsed);
    expect(await second.loadMissing()).to.equal(false);
    expect(second.parse('SELECT FROM WHERE').fault).to.equal(null);
    expect(await second.loadMissing()).to.equal(true);
    expect(second.parse('SELECT FROM WHERE').fault?.message).to.contain('syntax error');
    expect(second.parse('SELECT 1')).to.deep.equal(parsed);
  });

  it('finds the same problems with and without it, also after a change of the definitions', async () => {
    const project = await createProject();
    expect(await listCodes(project, true)).to.deep.equal(await listCodes(project, false));
    await waitForCache(project, 'SELECT text');
    expect(await listCodes(project, true)).to.deep.equal(await listCodes(project, false));

    await project.write(
      'definitions/read.json',
      defineQueryResource('read', 'SELECT txet FROM notes WHERE id = $1', ['$PAYLOAD.id']),
    );
    const found = await listCodes(project, true);
    expect(found).to.deep.equal(await listCodes(project, false));
    expect(found.join()).to.contain('txet');
    await waitForCache(project, 'SELECT txet');
    expect(Object.keys((await readCache(project)).texts).filter((text) => text.includes('SELECT text'))).to.deep.equal(
      [],
    );
    expect(await listCodes(project, true)).to.deep.equal(found);
  });

  it('is ignored if it is damaged, or of another version of the parser', async () => {
    const project = await createProject();
    const cache = await openStatementCache(project.folder);
    const parsed = cache.parse('SELECT 1');
    await cache.writeChanges();
    const { parser } = await readCache(project);
    const other = { 'SELECT 1': { statements: [], fault: null } };
    const parse = async (): Promise<unknown> => (await openStatementCache(project.folder)).parse('SELECT 1');
    await writeCache(project, { parser, texts: other });
    expect(await parse(), 'the file is read').to.deep.equal(other['SELECT 1']);
    for (const damaged of [{ parser: `${parser}1`, texts: other }, { parser }, [], null]) {
      await writeCache(project, damaged);
      expect(await parse(), JSON.stringify(damaged)).to.deep.equal(parsed);
    }
  });

  it('is not needed: a folder without permission to write has none', async () => {
    const project = await createProject();
    // A file in the place of the folder rejects writes of every user.
    await project.write('.lintel', '');
    const cache = await openStatementCache(project.folder);
    expect(cache.parse('SELECT 1').statements).to.have.length(1);
    await cache.writeChanges();
    expect(await listCodes(project, true)).to.deep.equal(await listCodes(project, false));
  });
});

describe('the cache of findings', () => {
  const KEY = 'a key of 32 letters, and no other';
  const RESOURCE = {
    id: 'call',
    resource: 'call',
    webhook: {
      verifications: {
        HmacSignatureVerifier: { sig_header: '$HEADER.x-sign', secret_key: '$ENV.HOOK_KEY', algorithm: 'sha256' },
      },
    },
    actionables: [{ id: 1, mode: 'RETURN', value: 1, payload_validation: [{ field: { unused: { type: 'STRING' } } }] }],
  };
  const projects: TempProject[] = [];
  after(() => Promise.all(projects.map((project) => project.dispose())));

  async function createProject(files: object = {}): Promise<TempProject> {
    const project = await createTempProject({ 'definitions/call.json': RESOURCE, ...files });
    projects.push(project);
    return project;
  }
  const findFile = ({ folder }: TempProject): string => join(folder, FINDINGS_FILE);
  const waitForFile = (project: TempProject): Promise<void> =>
    waitUntil(() =>
      stat(findFile(project)).then(
        () => true,
        () => false,
      ),
    );
  async function load({ folder }: TempProject, env: Record<string, string>): Promise<LoadedDefinitions> {
    const project = await loadProject(folder, undefined, env);
    if (project.config === null) throw new Error(JSON.stringify(project.configProblems));
    return loadDefinitions({ ...project, usesCache: true }, project.config);
  }
  const listCodes = async (project: TempProject, env: Record<string, string> = { HOOK_KEY: KEY }): Promise<string[]> =>
    (await load(project, env)).problems.map(({ code }) => code);
  async function forge(project: TempProject): Promise<void> {
    const text = await readFile(findFile(project), 'utf8');
    await writeFile(findFile(project), text.replaceAll('"code":"LNK_RULE_UNUSED"', '"code":"FORGED"'));
  }

  it('is read while nothing that an analysis reads has changed', async () => {
    const project = await createProject();
    expect(await listCodes(project)).to.deep.equal(['LNK_RULE_UNUSED']);
    await waitForFile(project);
    expect((await stat(findFile(project))).mode & 0o077, 'permissions of others').to.equal(0);
    await forge(project);
    expect(await listCodes(project), 'read').to.deep.equal(['FORGED']);
    expect(await listCodes(project, { HOOK_KEY: KEY, OTHER: '1' }), 'a variable that nothing asks for').to.deep.equal([
      'FORGED',
    ]);
    expect(await listCodes(project, { OTHER: '1' }), 'a variable that is missing').to.deep.equal(['ENV_MISSING']);
    await project.write('definitions/call.json', { ...RESOURCE, resource: 'called' });
    expect(await listCodes(project), 'another text').to.deep.equal(['LNK_RULE_UNUSED']);
    await project.write('definitions/call.json', RESOURCE);
    expect(await listCodes(project, { HOOK_KEY: KEY, PORT: '8099' }), 'another port').to.deep.equal(['FORGED']);
    await project.write('lintel.config.json', { outbound: { allow: ['127.0.0.1'] } });
    expect(await listCodes(project), 'another config').to.deep.equal(['LNK_RULE_UNUSED']);
  });

  it('does not hide what a database rejects', async () => {
    const project = await createProject({
      'definitions/_note.model.json': MODEL,
      'definitions/read.json': defineQueryResource('read', 'SELECT text FROM notes WHERE id = $1', ['$PAYLOAD.id']),
    });
    await listCodes(project);
    await waitForFile(project);
    await forge(project);
    const loaded = await load(project, { HOOK_KEY: KEY });
    expect(loaded.problems.map(({ code }) => code)).to.include('FORGED');
    const [asked] = loaded.analysis.checkableStatements;
    if (asked === undefined) throw new Error('there is no statement');
    const rejection = { about: 'other', what: 'no', advice: '', at: null, n: null, near: null } as const;
    const rejected = await loaded.withRejections(new Map([[asked.statement, rejection]]), new Map());
    expect(rejected.problems.map(({ code }) => code)).to.include.members(['LNK_RULE_UNUSED', 'SQL_REFUSED']);
    expect(rejected.analysis.resources.map(({ id, sound }) => [id, sound])).to.deep.equal([
      ['call', true],
      ['read', false],
    ]);
  });

  it('is not kept of definitions with errors, nor where the project has plugins', async () => {
    const broken = await createProject({ 'definitions/broken.json': { ...RESOURCE, id: 'b', resource: 'b', size: 1 } });
    expect(await listCodes(broken)).to.include('DEF_UNKNOWN_KEY');
    const config = { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'short-code')] };
    const own = await createProject({ 'lintel.config.json': config });
    await listCodes(own);
    const other = await createProject();
    await listCodes(other);
    await waitForFile(other);
    for (const project of [broken, own]) expect(await stat(findFile(project)).catch(() => null)).to.equal(null);
  });

  it('is not read if another user can have written it', async () => {
    const project = await createProject();
    await listCodes(project);
    await waitForFile(project);
    await forge(project);
    const file = findFile(project);
    const forged = await readFile(file);
    const expectIgnored = async (what: string): Promise<void> => {
      expect(await listCodes(project), what).to.deep.equal(['LNK_RULE_UNUSED']);
      // The start has replaced it.
      await waitUntil(() => readFile(file, 'utf8').then((text) => !text.includes('FORGED')));
      await writeFile(file, forged);
      expect(await listCodes(project), `after ${what}`).to.deep.equal(['FORGED']);
    };
    await chmod(file, 0o622);
    await expectIgnored('permission to write');
    await rename(file, `${file}.moved`);
    await symlink(`${file}.moved`, file);
    await expectIgnored('a link');
    if (process.geteuid?.() === 0) {
      await chown(file, 1, 1);
      await expectIgnored('another owner');
    }
    await writeFile(file, forged.subarray(0, forged.length - 9));
    await expectIgnored('a damaged file');
  });
});

describe('the reader of definition files', () => {
  it('reads a file again when it has changed, not before', async () => {
    const project = await createTempProject({ 'a.json': 'one', 'b.json': 'two' });
    const [file, other] = ['a.json', 'b.json'].map((name) => join(project.folder, name)) as [string, string];
    // Files that have just been written may change within one time stamp.
    const readEarly = createDefinitionReader();
    expect(readEarly(file, 'a.json')).not.to.equal(readEarly(file, 'a.json'));
    const read = createDefinitionReader(() => Date.now() + 10_000);
    const [first, second] = [read(file, 'a.json'), read(other, 'b.json')];
    expect(first).to.deep.equal({ file: 'a.json', text: 'one' });
    expect(read(file, 'a.json')).to.equal(first);
    await project.write('a.json', 'another');
    expect(read(file, 'a.json')?.text).to.equal('another');
    expect(read(other, 'b.json')).to.equal(second);
    await project.remove('b.json');
    expect(read(other, 'b.json')).to.equal(null);
    await project.dispose();
  });
});
