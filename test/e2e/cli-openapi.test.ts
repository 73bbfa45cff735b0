/** `lintel openapi`: what it prints and writes, how it compares, and what it refuses. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../support/cli.js';
import type { Loose } from '../support/client.js';
import { listDocumentErrors } from '../support/openapi.js';
import {
  copySample,
  defineReturnResource,
  SAMPLE_ENV,
  createTempProject,
  type TempProject,
} from '../support/project.js';

describe('lintel openapi', function () {
  let project: TempProject;
  beforeEach(async () => {
    project = await createTempProject({ 'package.json': { name: 'wallet', version: '3.1.4' } });
  });
  afterEach(() => project.dispose());
  const run = (...words: string[]): ReturnType<typeof runCli> =>
    runCli(['openapi', ...words], { cwd: project.folder, env: SAMPLE_ENV });

  it('prints a valid document with the name of the package, and no value of the environment', async () => {
    await copySample(project.folder);
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).to.deep.equal([0, '']);
    const document = JSON.parse(stdout) as Loose;
    expect(document['info']).to.include({ title: 'wallet', version: '3.1.4' });
    expect(await listDocumentErrors(document as never)).to.equal('');
    // Switches say nothing; every other value would tell something.
    const told = Object.values(SAMPLE_ENV).filter((value) => value !== 'true');
    for (const value of told) expect(stdout).to.not.contain(value);
  });

  it('writes a file, accepts it while it is current, and reports when it is not', async () => {
    await project.write('definitions/a.json', defineReturnResource('a', 1));
    expect((await run('--out', 'api/openapi.json')).code).to.equal(0);
    const text = await readFile(join(project.folder, 'api/openapi.json'), 'utf8');
    expect(Object.keys((JSON.parse(text) as Loose)['paths'] as Loose)).to.deep.equal(['/a']);
    expect((await run('--check', '--out', 'api/openapi.json')).code).to.equal(0);
    await project.write('definitions/a.json', defineReturnResource('a', 'other'));
    const stale = await run('--check', '--out', 'api/openapi.json');
    expect(stale.code).to.equal(1);
    expect(stale.stderr).to.contain('CLI_STALE').and.contain('api/openapi.json');
    expect(await readFile(join(project.folder, 'api/openapi.json'), 'utf8')).to.equal(text);
  });

  it('rejects definitions with errors, unless the config skips them', async () => {
    await project.write('definitions/a.json', [defineReturnResource('a', 1), { id: 'b', resource: 'b' }]);
    await project.write('definitions/c.json', defineReturnResource('c', 1));
    const refused = await run();
    expect([refused.code, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr).to.contain('DEF_REQUIRED');
    await project.write('lintel.config.json', { on_problem: 'skip' });
    const { code, stdout, stderr } = await run();
    expect(code).to.equal(0);
    expect(stderr).to.contain('DEF_REQUIRED');
    expect(Object.keys((JSON.parse(stdout) as Loose)['paths'] as Loose)).to.deep.equal(['/a', '/c']);
  });
});
