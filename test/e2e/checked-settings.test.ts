/**
 * Whatever stops a start is a row of `lintel check`, at its place and all at once: keys, addresses and statements that only a plugin's
 * own code can reject. With `on_problem: "skip"` the rest is served.
 */
import { expect } from 'chai';
import { BAD_PEM, MODEL, SETTINGS } from '../support/checked-settings.js';
import { runCli } from '../support/cli.js';
import { startKernel } from '../support/kernel.js';
import { createTempProject, defineReturnResource } from '../support/project.js';

interface Row {
  readonly code: string;
  readonly severity: string;
  readonly file: string;
  readonly range: { readonly start: { readonly line: number } };
}
describe('settings that prevent the start', () => {
  async function check(resources: readonly object[], config: object, env: Record<string, string>): Promise<Row[]> {
    const project = await createTempProject({
      'definitions/all.json': [MODEL, ...resources],
      'lintel.config.json': config,
    });
    try {
      const { stdout } = await runCli(['check', '--format', 'json'], { cwd: project.folder, env });
      return (JSON.parse(stdout) as Row[]).filter(({ severity }) => severity === 'error');
    } finally {
      await project.dispose();
    }
  }
  const start = (resources: readonly object[], config: object, env: Record<string, string>, skip = false) =>
    startKernel({
      files: { 'definitions/all.json': [MODEL, ...resources] },
      ...{ config: config as Record<string, unknown>, env, ...(skip && { onProblem: 'skip' as const }) },
    });

  for (const { what, code, resource = defineReturnResource('one', 1), env = {}, config = {}, away } of SETTINGS)
    it(`${what}: are a row of the check, and the reason at startup`, async () => {
      const rows = await check([resource], config, env);
      expect(rows.map((row) => row.code)).to.deep.equal([code]);
      const failure = await start([resource], config, env).then(
        (kernel) => kernel.close().then(() => null),
        (error: unknown) => error as { code: string; problems?: readonly Row[] },
      );
      const reason = failure?.problems?.find(({ severity }) => severity === 'error')?.code ?? failure?.code;
      expect(reason).to.equal(away ?? code);
    });

  it('are reported all at once, each at its field, and the rest is served if configured', async () => {
    const [first, second] = SETTINGS;
    const env = { SETTING: BAD_PEM };
    const resources = [
      first!.resource!,
      { ...second!.resource!, id: 'two', resource: 'two' },
      { ...defineReturnResource('three', 3) },
    ];
    const rows = await check(resources, {}, env);
    expect(rows.map((row) => row.code)).to.deep.equal(['WHK_SETTING', 'WHK_SETTING']);
    expect(new Set(rows.map((row) => row.range.start.line)).size).to.equal(2);
    const kernel = await start(resources, {}, env, true);
    try {
      expect((await kernel.post('/three')).status).to.equal(200);
      for (const path of ['/one', '/two']) expect((await kernel.post(path)).status).to.equal(503);
      expect(kernel.kernel.degraded()).to.equal(true);
      expect(kernel.kernel.problems().filter(({ code }) => code === 'WHK_SETTING')).to.have.length(2);
    } finally {
      await kernel.close();
    }
  });
});
