/** Statements that an earlier start has parsed: read from the file, and never in the place of others. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { JsonObject } from '../../../contract/json.js';
import { loadDefinitions } from '../../../language/project/project.js';
import { CACHE_FILE, openStatementCache } from '../../../plugins/queries/sql/parser/statement-cache.js';
import { loadProject } from '../../../plugins/distribution.js';
import { createTempProject, defineQueryResource, type TempProject } from '../../support/project.js';
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
