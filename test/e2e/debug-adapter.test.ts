/**
 * `lintel dap` as a process that launches a server, `lintel serve` without a debugger, plans with and without stops, and test
 * cases under a debugger.
 */
import { expect } from 'chai';
import { access, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { attachDebugger } from '../../cli/debug/debugger.js';
import { startStopwatch } from '../../cli/test/time.js';
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

describe('lintel test --debug', () => {
  let project: TempProject;
  let file: string;
  const createCase = (id: string, given: object = {}): object => ({
    ...{ id, given },
    steps: [{ request: { resource: 'a', body: { n: 3 } }, expect: { body: 3 } }],
  });

  before(async () => {
    project = await createTempProject({
      'definitions/a.json': defineReturnResource('a', '$PAYLOAD.n'),
      'definitions/a.test.json': {
        id: 'a',
        cases: [createCase('first'), createCase('second', { environment: { OTHER: '1' } }), createCase('third')],
      },
    });
    file = join(project.folder, 'definitions/a.json');
  });
  after(() => project.dispose());

  it('launches the cases of a file, and shows their results', async () => {
    const debug = hostAdapter(project.folder);
    await debug.start('launch', { test: 'definitions/a.test.json', filter: 'second' }, { [file]: [{ line: 5 }] });
    const { at, thread, frames } = await debug.waitForStop();
    expect(at).to.equal('a#1 · before');
    const { result } = await debug.request('evaluate', { frameId: frames[0]?.id, expression: '$PAYLOAD.n' });
    expect(result).to.equal('3');
    const { threads } = await debug.request<{ readonly threads: readonly { readonly name: string }[] }>('threads');
    expect(threads.map(({ name }) => name)).to.deep.equal(['lintel test', '/a']);
    await debug.request('continue', { threadId: thread });
    expect(await debug.waitForEvent('exited')).to.deep.equal({ exitCode: 0 });
    expect(debug.output()).to.match(/✓ second[^]*1 passed/);
    await debug.request('disconnect');
  });

  it('waits for a debugger, keeps its breakpoints, stops time, and ends when it is cut off', async () => {
    await project.write('.lintel/debug.json', { port: 1, token: 'of another server' });
    const running = hostCli(['test', '--debug'], { cwd: project.folder });
    await running.waitForOutput(/debugger at 127\.0\.0\.1:\d+/);
    const address = join(project.folder, '.lintel/debug-test.json');
    expect((await stat(address)).mode & 0o777).to.equal(0o600);
    const debug = hostAdapter(project.folder);
    await debug.start('attach', { test: true }, { [file]: [{ line: 5 }] });
    const first = await debug.waitForStop();
    const before = [Date.now(), performance.now()];
    const elapsed = startStopwatch();
    await waitUntil(() => elapsed() > 20);
    expect([Date.now(), performance.now()]).to.deep.equal(before);
    await debug.request('continue', { threadId: first.thread });
    // The cases of the other environment come last, on a server of their own.
    const third = await debug.waitForStop();
    await debug.request('continue', { threadId: third.thread });
    expect((await debug.waitForStop()).at).to.equal('a#1 · before');
    debug.cutOff();
    const { code, stdout, stderr } = await running.finished;
    expect(code).to.equal(1);
    expect(stdout).to.match(/✓ first[^]*✓ third[^]*✗ second[^]*the debugger was disconnected while the case ran/);
    expect(stderr).to.not.contain('were not run');
    expect(await access(address).catch(() => 'gone')).to.equal('gone');
    expect(await readFile(join(project.folder, '.lintel/debug.json'), 'utf8')).to.contain('of another server');
  });

  it('runs no further case when the debugger leaves', async () => {
    const running = hostCli(['test', '--debug'], { cwd: project.folder });
    await running.waitForOutput(/debugger at/);
    const debug = hostAdapter(project.folder);
    await debug.start('attach', { test: true, stopOnEntry: true });
    await debug.waitForStop();
    await debug.request('disconnect');
    const { code, stdout, stderr } = await running.finished;
    expect([code, stdout.includes('✓ first'), stdout.includes('third')]).to.deep.equal([1, true, false]);
    expect(stderr).to.contain('The debugger has left, so 2 case(s) were not run.');
  });

  it('takes no other way to run', async () => {
    const { code, stderr } = await hostCli(['test', '--debug', '--mutants'], { cwd: project.folder }).finished;
    expect([code, stderr]).to.deep.equal([2, '--debug runs each case once, so it takes no --mutants.\n']);
  });
});
