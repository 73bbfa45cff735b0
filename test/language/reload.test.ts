/** In `lintel dev`, a reload analyses what has changed, and finds what a new start would. */
import { expect } from 'chai';
import { loadDefinitions, type LoadedDefinitions } from '../../language/project/project.js';
import { loadProject } from '../../plugins/distribution.js';
import { createTempProject, defineQueryResource, type TempProject } from '../support/project.js';

const defineRead = (id: string, column: string): object => defineQueryResource(id, `SELECT ${column} FROM notes`);

describe('a reload in dev', () => {
  let project: TempProject;
  before(async () => {
    project = await createTempProject({
      'definitions/_note.model.json': { id: { type: 'Number', primary_key: true }, text: { type: 'String' } },
      'definitions/a.json': defineRead('a', 'text'),
      'definitions/b.json': defineRead('b', 'text'),
    });
  });
  after(() => project.dispose());

  /** Each call of the result loads once. */
  async function createLoader(dev: boolean): Promise<() => Promise<LoadedDefinitions>> {
    const loaded = await loadProject(project.folder, undefined, {}, dev);
    const { config } = loaded;
    if (config === null) throw new Error(JSON.stringify(loaded.configProblems));
    return () => loadDefinitions(loaded, config);
  }
  const getDefinition = ({ analysis }: LoadedDefinitions, name: string): unknown =>
    analysis.definitions.find(({ doc }) => doc.file.endsWith(name));

  it('keeps the definitions of unchanged files, and finds the problems of changed ones', async () => {
    const load = await createLoader(true);
    const first = await load();
    await project.write('definitions/b.json', defineRead('b', 'txet'));
    const second = await load();
    expect(getDefinition(second, 'a.json')).to.be.an('object').and.equal(getDefinition(first, 'a.json'));
    expect(getDefinition(second, 'b.json')).not.to.equal(getDefinition(first, 'b.json'));
    const fresh = await (await createLoader(false))();
    expect(second.problems.map(({ code, message }) => [code, message])).to.deep.equal(
      fresh.problems.map(({ code, message }) => [code, message]),
    );
    expect(JSON.stringify(second.problems)).to.contain('txet');
  });
});
