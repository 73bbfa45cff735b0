/**
 * Applications of other teams for the earlier system, with its environment formats, served in its profile: each
 * endpoint responds as its client, a page of another origin, expects. Mistakes of the authors are corrected for that,
 * and `lintel check` reports them in the original files.
 */
import { expect } from 'chai';
import type { Problem } from '../../contract/problem.js';
import { CORRECTIONS } from '../foreign-applications/corrections.js';
import { runCli } from '../support/cli.js';
import {
  APPLICATIONS,
  copyApplication,
  describeApplication,
  listDefinitions,
  readEnvironment,
} from '../support/foreign-applications.js';
import { DATABASES } from '../support/kernel.js';
import { createTempProject } from '../support/project.js';

describe('applications of other authors', () => {
  for (const application of APPLICATIONS) describeApplication(application, DATABASES[0]!);

  it('need corrections in few endpoints; the others are served as they were written', () => {
    const endpoints = APPLICATIONS.map((one) => ({
      name: one.name,
      all: one.endpoints(() => []).map(([name]) => name),
    }));
    expect(endpoints.flatMap(({ all }) => all)).to.have.length(57);
    for (const { application, endpoint, needed = [] } of CORRECTIONS)
      expect(endpoints.find(({ name }) => name === application)?.all).to.include.members([endpoint, ...needed]);
    // 43 respond without any correction, 49 have none themselves.
    expect(CORRECTIONS).to.have.length(8);
    expect(CORRECTIONS.flatMap(({ needed = [] }) => needed)).to.have.length(6);
  });

  for (const { name } of APPLICATIONS)
    it(`${name}: are reported with the mistakes of their authors`, async () => {
      const project = await createTempProject({
        'lintel.config.json': { profile: 'sub0', definitions: listDefinitions(name) },
      });
      try {
        await copyApplication(name, project.folder);
        const env = await readEnvironment(name);
        const { stdout } = await runCli(['check', '--format', 'json'], { cwd: project.folder, env });
        const rows = JSON.parse(stdout) as Problem[];
        expect(rows.filter(({ severity }) => severity === 'error')).to.deep.equal([]);
        for (const { application, endpoint, file, expected } of CORRECTIONS) {
          if (application !== name || expected === null) continue;
          const own = rows.filter((row) => row.file === file && row.code === expected.code);
          expect(own.map(({ message }) => message).join('\n'), endpoint).to.contain(`"${expected.word}"`);
        }
      } finally {
        await project.dispose();
      }
    });
});
