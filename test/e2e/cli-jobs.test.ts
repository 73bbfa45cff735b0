/** `lintel jobs`: reading and managing deferred work, on a plugin that stores it in a file. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { CommandOptions } from '../../cli/options.js';
import { findArgumentMistake } from '../../cli/jobs.js';
import type { JobView } from '../../contract/deferred.js';
import { hostCli, runCli, type Finished } from '../support/cli.js';
import {
  PLUGIN_FIXTURES,
  defineQueryResource,
  defineReturnResource,
  createTempProject,
  type TempProject,
} from '../support/project.js';

const AT = Date.UTC(2026, 10, 20, 12);
const view = (id: string, state: JobView['state'], more: Partial<JobView> = {}): JobView => ({
  id,
  resource: 'order',
  part: 'order#2',
  state,
  priority: 0,
  attempts: state === 'dead' ? 6 : 0,
  retries: 5,
  acceptedAt: AT,
  dueAt: state === 'waiting' ? AT + 1000 : null,
  failure: state === 'dead' ? { code: 'QRY_UNAVAILABLE', detail: 'The database cannot be reached.', at: AT } : null,
  ...more,
});
const work = { payload: { amount: 7 }, claims: { id: 'ada' } };
const JOBS = [
  view('w1', 'waiting'),
  view('r1', 'running', { attempts: 1, resource: 'mail', part: 'sender#1' }),
  view('d1', 'dead'),
  view('d2', 'dead', { resource: 'mail', part: 'mail#1' }),
].map((one) => ({ view: one, work: { state: work } }));

const NOTHING: CommandOptions = {
  config: undefined,
  format: undefined,
  out: undefined,
  for: undefined,
  force: false,
  check: false,
  database: false,
  dryRun: false,
  sql: false,
  destroy: false,
  fill: false,
  yes: false,
  all: false,
  fix: false,
  fixAll: false,
  trust: false,
  transactions: false,
  dead: false,
  state: undefined,
  resource: undefined,
  limit: undefined,
  verify: false,
  replace: false,
  stdio: false,
  filter: undefined,
  mutants: false,
  coverage: false,
  coverageFile: undefined,
  watch: false,
  debug: false,
  update: false,
  reporter: undefined,
  arguments: [],
};

describe('lintel jobs', function () {
  let project: TempProject;
  let events: string[] = [];
  before(async () => {
    const module = pathToFileURL(join(PLUGIN_FIXTURES, 'job-admin', 'runtime.js')).href;
    ({ events } = (await import(module)) as { events: string[] });
  });
  beforeEach(async () => {
    project = await createTempProject({
      'definitions/a.json': defineReturnResource('a', '$GENERATOR.JOB_ADMIN'),
      // Requires an unavailable database, which job administration does not need.
      'definitions/b.json': defineQueryResource('b', 'SELECT 1 AS one'),
      'lintel.config.json': { plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'job-admin')] },
      'jobs.json': JOBS,
    });
  });
  afterEach(() => project.dispose());

  const jobs = (...words: string[]): Promise<Finished> =>
    runCli(['jobs', ...words, '--trust'], {
      cwd: project.folder,
      env: { NO_COLOR: '1', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
    });
  const states = async (): Promise<string> => {
    const rows = JSON.parse(await readFile(join(project.folder, 'jobs.json'), 'utf8')) as typeof JOBS;
    return rows.map(({ view: { id, state } }) => `${id} ${state}`).join(', ');
  };

  it('lists jobs as a table, and opens nothing but their store', async () => {
    events.length = 0;
    const { code, stdout, stderr } = await jobs();
    expect([code, stderr, events]).to.deep.equal([0, '', ['open', 'closed']]);
    const [head, ...rows] = stdout.trim().split('\n');
    expect(head?.split(/ {2,}/)).to.deep.equal(['id', 'actionable', 'state', 'attempts', 'due or failed at', 'code']);
    expect(rows.map((row) => row.split(/ {2,}/))).to.deep.equal([
      ['w1', 'order#2', 'waiting', '0/6', '2026-11-20T12:00:01.000Z', '-'],
      ['r1', 'mail (sender#1)', 'running', '1/6', '-', '-'],
      ['d1', 'order#2', 'dead', '6/6', '2026-11-20T12:00:00.000Z', 'QRY_UNAVAILABLE'],
      ['d2', 'mail#1', 'dead', '6/6', '2026-11-20T12:00:00.000Z', 'QRY_UNAVAILABLE'],
    ]);
  });

  it('lists only requested jobs, as JSON for programs', async () => {
    const dead = await jobs('list', '--state', 'dead', '--format', 'json');
    expect((JSON.parse(dead.stdout) as JobView[]).map(({ id }) => id)).to.deep.equal(['d1', 'd2']);
    const mail = await jobs('list', '--state', 'dead', '--resource', 'mail', '--format', 'json');
    expect(JSON.parse(mail.stdout)).to.deep.equal([JOBS[3]?.view]);
    const first = await jobs('list', '--limit', '1');
    expect(first.stdout).to.contain('w1 ').and.contain('the oldest 1; --limit shows more').and.not.contain('d1');
  });

  it('shows one job with all its fields', async () => {
    const { code, stdout } = await jobs('show', 'd1');
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({ ...JOBS[2]?.view, work: { state: work } });
    const none = await jobs('show', 'd9');
    expect([none.code, none.stdout]).to.deep.equal([1, '']);
    expect(none.stderr).to.contain('There is no job "d9".');
  });

  it('prints no terminal control characters', async () => {
    const evil = '\u001b]0;owned\u0007\u009b2J\u202etxt\u007f\r\n';
    const row = { view: view(evil, 'dead', { resource: evil, part: evil }), work: { state: { payload: evil } } };
    row.view = { ...row.view, failure: { code: evil, detail: evil, at: AT } };
    await project.write('jobs.json', [row]);
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;
    const table = (await jobs()).stdout;
    expect(table).to.contain('\\u001b]0;owned').and.not.match(obeyed);
    expect(table.trim().split('\n')).to.have.length(2);
    const list = (await jobs('list', '--format', 'json')).stdout;
    expect(list).not.to.match(obeyed);
    expect(JSON.parse(list)).to.deep.equal([row.view]);
    const shown = (await jobs('show', evil)).stdout;
    expect(shown).not.to.match(obeyed);
    expect(JSON.parse(shown)).to.deep.equal({ ...row.view, work: row.work });
  });

  it('retries dead jobs: one, or all', async () => {
    expect((await jobs('retry', 'd1')).stdout).to.equal('1 retried\n');
    expect(await states()).to.equal('w1 waiting, r1 running, d1 waiting, d2 dead');
    const alive = await jobs('retry', 'w1');
    expect([alive.code, alive.stdout]).to.deep.equal([1, '']);
    expect((await jobs('retry', '--all', '--format', 'json')).stdout).to.equal('{"count":1}\n');
    expect(await states()).to.equal('w1 waiting, r1 running, d1 waiting, d2 waiting');
  });

  it('removes jobs: one, or all dead ones', async () => {
    expect((await jobs('purge', 'w1')).stdout).to.equal('1 removed\n');
    expect((await jobs('purge', '--dead')).stdout).to.equal('2 removed\n');
    expect(await states()).to.equal('r1 running');
    expect((await jobs('purge', 'w1')).code).to.equal(1);
  });

  it('removes nothing for a wrong command, and names the right one', async () => {
    const { code, stdout, stderr } = await jobs('purge');
    expect([code, stdout]).to.deep.equal([2, '']);
    expect(stderr).to.contain('takes either an id or --dead');
    const findMistake = (words: readonly string[], more: Partial<CommandOptions> = {}): string | null =>
      findArgumentMistake({ ...NOTHING, arguments: words, ...more });
    expect([findMistake([]), findMistake(['purge', 'd1']), findMistake(['retry'], { all: true })]).to.deep.equal([
      null,
      null,
      null,
    ]);
    expect(findMistake(['purge', 'd1'], { dead: true })).to.contain('takes either an id or --dead');
    expect(findMistake(['purge'], { all: true })).to.contain('takes either an id or --dead');
    expect(findMistake(['retry'])).to.contain('takes either an id or --all');
    expect(findMistake(['show'])).to.contain('needs an id');
    expect(findMistake(['lst'])).to.contain('Did you mean "list"?');
    expect(findMistake(['list'], { state: 'done' })).to.contain('--state takes waiting, running, dead; not "done"');
    expect(findMistake(['list'], { limit: '0' })).to.contain('--limit takes a whole number; not "0"');
    expect(findMistake(['retry'], { all: true, state: 'dead' })).to.contain('Only `lintel jobs list` takes --state');
    expect(findMistake([], { format: 'xml' })).to.contain('--format takes pretty, json; not "xml"');
    expect(findMistake(['list', 'd1'])).to.contain('lintel jobs show d1');
    expect(await states()).to.equal('w1 waiting, r1 running, d1 dead, d2 dead');
  });

  it('reports that no work is deferred', async () => {
    await project.write('definitions/a.json', defineReturnResource('a', 1));
    const { code, stderr } = await jobs('list');
    expect([code, stderr]).to.deep.equal([1, 'No definition uses a queue.\n']);
  });

  it('does not affect a running server', async () => {
    await project.remove('definitions/b.json');
    const server = hostCli(['serve'], { cwd: project.folder, env: { PORT: '0' } });
    try {
      await server.waitForOutput(/job admin: works/);
      expect((await jobs('retry', '--all')).code).to.equal(0);
      expect(server.output()).not.to.contain('job admin: closed');
    } finally {
      await server.stop();
    }
  });
});
