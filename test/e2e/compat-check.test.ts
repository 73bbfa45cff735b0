/**
 * Definitions of a real application that ran on another system of the interface, checked as their authors wrote them: there
 * is no error, and no statement is doubted. Skipped where the files are not at hand.
 */
import { posix } from 'node:path';
import { expect } from 'chai';
import type { Problem } from '../../contract/problem.js';
import { loadProject } from '../../plugins/distribution.js';
import { loadDefinitions } from '../../language/project/project.js';
import { createTempProject } from '../support/project.js';
import { copyApplication, ENV, isAtHand } from '../support/soforotto.js';
import { NO_SHARED, skipTest } from '../support/skip.js';

describe('definitions of another project (check)', function () {
  let problems: readonly Problem[] = [];

  before(async function () {
    if (!isAtHand) return skipTest(this, NO_SHARED);
    const project = await createTempProject({
      'lintel.config.json': { profile: 'sub0', websocket: { enabled: true } },
    });
    try {
      await copyApplication(project.folder);
      const loaded = await loadProject(project.folder, undefined, ENV);
      if (loaded.config === null) throw new Error('the config is not sound');
      ({ problems } = await loadDefinitions(loaded, loaded.config));
    } finally {
      await project.dispose();
    }
  });

  const listProblems = (severity: Problem['severity']): string[] =>
    problems
      .filter((one) => one.severity === severity)
      .map(({ file, code, message }) => `${posix.basename(file)} ${code} ${message}`);

  it('have no error', () => {
    expect(listProblems('error')).to.deep.equal([]);
  });

  it('have no warning except about literals, and about writes that any administrator may make', () => {
    expect(listProblems('warning').map((text) => text.split(' ').slice(0, 2).join(' '))).to.deep.equal([
      'inquiry-submit.json LNK_LITERAL',
      'inquiry-submit.json LNK_LITERAL',
      'inquiry-update-status.json SEC_NO_OWNER',
      'wall-approve.json SEC_NO_OWNER',
    ]);
  });

  it('have recognized literals, with a fix that writes them as values', () => {
    const found = problems.filter(({ code }) => code === 'LNK_LITERAL');
    expect(
      found.flatMap(({ fix, others = [] }) => [fix, ...others].flatMap((one) => one?.text ?? [])),
    ).to.include.members([
      '{ "literal": "new" }',
      String.raw`{ "literal": "{\"same\":0,\"strength\":0,\"not_alone\":0}" }`,
    ]);
    expect(listProblems('hint')).to.deep.equal([]);
  });
});
