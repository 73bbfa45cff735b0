/** `lintel dap` as a process that launches a server, `lintel serve` without a debugger, and plans with and without stops. */
import { expect } from 'chai';
import { join } from 'node:path';
import { attachDebugger } from '../../cli/debug/debugger.js';
import { startCli } from '../support/child.js';
import { hostCli } from '../support/cli.js';
import { createClient } from '../support/client.js';
import { createDebugClient, hostAdapter } from '../support/debug-client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createTempProject, defineQueryResource, defineReturnResource, type TempProject } from '../support/project.js';
import { waitUntil } from '../support/until.js';

const FILES = {
  'definitions/_note.json': { id: { type: 'Number', primary_key: true }, text: { type: 'String' } },
  'definitions/add.json': defineQueryResource('add', 'INSERT INTO notes (id, text) VALUES ($1, $2)', ['id', 'text'], {
    payload_validation: [{ field: { id: { type: 'NUMBER' }, text: { type: 'STRING' } } }],
  }),
};

describe('plans', () => {
  let kernel: TestKernel;
  before(async () => {
    kernel = await startKernel({ files: FILES, dev: true });
  });
  after(() => kernel.close());

  /** All steps of the resource and its actionables, by their ids. */
  function listSteps(): readonly string[] {
    const plan = kernel.kernel.plans().byId.get('add');
    const actions = plan?.groups.flatMap((group) => group.actions) ?? [];
    const lists = [plan?.admit, plan?.check, plan?.reply, ...actions.flatMap(({ before, after }) => [before, after])];
    return lists.flatMap((steps) => steps ?? []).map(({ id }) => id);
  }

  it('have breakpoints only while a debugger is attached', async () => {
    const none = listSteps();
    expect(none).to.include('payload_validation').and.not.include('debugger');
    const ignored = (): void => undefined;
    const events = { onStart: ignored, onEnd: ignored, onStop: ignored, onMove: ignored, onLog: ignored };
    const debug = await attachDebugger(
      { kernel: kernel.kernel, name: '' },
      { stopOnEntry: false, showSecrets: false },
      events,
    );
    expect(listSteps().filter((id) => id === 'debugger')).to.have.lengthOf(4);
    await kernel.kernel.reload();
    expect(listSteps().filter((id) => id === 'debugger')).to.have.lengthOf(4);
    await debug.detach('go on');
    expect(listSteps()).to.deep.equal(none);
  });
});

describe('lintel dap', () => {
  let project: TempProject;

  before(async () => {
    project = await createTempProject({ 'definitions/a.json': defineReturnResource('a', '$PAYLOAD.n') });
  });
  after(() => project.dispose());

  it('launches a server and ends it; `lintel serve` accepts no debugger', async () => {
    const child = startCli(['dap'], { cwd: project.folder, env: { PORT: '0' } });
    const { stdin, stdout } = child.process;
    if (stdin === null || stdout === null) throw new Error('the adapter has no streams');
    const ended = child.finished.then(({ code }) => code ?? -1);
    const debug = createDebugClient({ input: stdin, output: stdout, ended });
    const file = join(project.folder, 'definitions/a.json');
    await debug.start('launch', {}, { [file]: [{ line: 5 }] });
    await waitUntil(() => /ready at http:\S+[^]*debugger attached/.test(debug.output()));
    const [, url = ''] = /ready at (http:\S+)/.exec(debug.output()) ?? [];
    const answer = createClient(url).post<unknown>('/a', { n: 3 });
    const stopped = await debug.waitForStop();
    expect(stopped.at).to.equal('a#1 · before');
    await debug.request('continue', { threadId: stopped.thread });
    expect((await answer).body).to.equal(3);
    await debug.request('disconnect');
    expect(await ended).to.equal(0);
    const gone = await fetch(url).catch(() => 'gone');
    expect(gone).to.equal('gone');

    const served = hostCli(['serve', '--debug'], { cwd: project.folder, env: { PORT: '0' } });
    const { code, stderr } = await served.finished;
    expect([code, stderr]).to.deep.equal([2, stderr]);
    expect(stderr).to.contain('`lintel serve` has no option --debug');
    const running = hostCli(['serve'], { cwd: project.folder, env: { PORT: '0' } });
    await running.waitForOutput(/ready at/);
    const adapter = hostAdapter(project.folder);
    const rejected = await adapter.start('attach', {}).catch((error: Error) => error.message);
    expect(rejected).to.contain('No server waits for a debugger');
    await adapter.request('disconnect');
    await running.stop();
  });
});
