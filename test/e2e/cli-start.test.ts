/**
 * The start of `lintel serve`: the table and the curl line it prints, its log, its address, and the modules it loads.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { copySample, defineReturnResource, ROOT, SAMPLE_ENV } from '../support/project.js';
import { waitForCurlLine, serveInProcess, waitUntilReady, serveAsChild } from '../support/serve.js';

const ECHO = { 'definitions/a.json': defineReturnResource('echo', '$PAYLOAD') };
const run = (line: string): Promise<{ stdout: string }> => promisify(execFile)('sh', ['-c', line]);

describe('start of lintel serve', function () {
  const { start } = serveInProcess();
  const { startIn: startProcessIn, createFolder: makeFolder } = serveAsChild();

  it('with the sample on embedded defaults: prints a table of endpoints, and a curl line that works', async () => {
    const child = await start({}, { prepare: copySample, env: SAMPLE_ENV });
    await waitUntilReady(child);
    const line = await waitForCurlLine(child);
    const output = child.output();
    expect(output).to.match(/^methods +path +guard +validation +touches +response$/m);
    expect(output).to.match(
      /^POST +\/wallet\/deposit +JWT in Authorization +amount, note +_users, _transactions, _activity +result, then job$/m,
    );
    expect(output).to.match(/^POST +\/health +open +- +- +result$/m);
    expect(line).to.contain('/sign-up ');
    expect(output).to.match(/^clients connect at ws:\S+\/ws$/m);
    const [, alone = ''] = /^private to this process: (.+)$/m.exec(output) ?? [];
    const places = ['cache memory', 'queue embedded', 'relay local', 'scheduler embedded', 'storage local-disk'];
    expect(alone.split(', ')).to.have.members(places);
    expect(output).not.to.contain('shared between processes');
    const { stdout } = await run(line);
    expect(JSON.parse(stdout)).to.have.all.keys('id', 'email', 'name', 'token');
  });

  it('prints a curl line that needs no stored data, if there is one', async () => {
    const rules = { payload_validation: [{ field: { id: { type: 'STRING' } } }] };
    const known = { ...rules, must_return_value: true };
    const child = await start({
      'definitions/a.json': [
        { id: 'a', resource: 'a', actionables: [{ id: 1, mode: 'RETURN', value: null, ...known }] },
        { id: 'b', resource: 'b', actionables: [{ id: 1, mode: 'RETURN', value: '$PAYLOAD.id', ...rules }] },
      ],
    });
    expect((await run(await waitForCurlLine(child))).stdout).to.equal('"text"');
  });

  it('prints a curl line with the path filled in if every path has parameters', async () => {
    const rule = { payload_validation: [{ field: { who: { type: 'STRING', min_length: 3 } } }] };
    const child = await start({
      'definitions/a.json': {
        id: 'hi',
        resource: 'say/:who/now',
        actionables: [{ id: 1, mode: 'RETURN', value: 'hi $PAYLOAD.who', ...rule }],
      },
    });
    await waitUntilReady(child);
    const line = await waitForCurlLine(child);
    const { stdout } = await run(line);
    expect(JSON.parse(stdout), line).to.match(/^hi \w{3,}$/);
  });

  it('prints a curl line for the query string if no verb has a body', async () => {
    const rule = { payload_validation: [{ field: { who: { type: 'STRING' } } }] };
    const child = await start({
      'definitions/a.json': {
        id: 'hi',
        resource: 'hi',
        actionables: [{ id: 1, mode: 'RETURN', value: 'hi $PAYLOAD.who', ...rule }],
      },
      'lintel.config.json': { http: { methods: ['GET'] } },
    });
    const line = await waitForCurlLine(child);
    const { stdout } = await run(line);
    expect(JSON.parse(stdout)).to.equal('hi text');
  });

  it('prints a curl line with the values that accessors need, if there is no rule', async () => {
    const value = { who: '$PAYLOAD.who.name', when: '$PAYLOAD.when', text: 'on $PAYLOAD.when' };
    const child = await start({
      'definitions/a.json': { id: 'hi', resource: 'hi', actionables: [{ id: 1, mode: 'RETURN', value }] },
    });
    const line = await waitForCurlLine(child);
    const { stdout } = await run(line);
    expect(JSON.parse(stdout)).to.deep.equal({ who: 'text', when: 'text', text: 'on text' });
  });

  it('prints no curl line that a guard would reject', async () => {
    const guarded = {
      ...defineReturnResource('a', 1),
      tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' },
      protected: {},
    };
    const env = { KEY: 'k7Qd2mZx9vRt4LsB8nWc5yHf3jPg6aUe' };
    const child = await start({ 'definitions/a.json': [guarded, defineReturnResource('b', 2)] }, { env });
    const line = await waitForCurlLine(child);
    expect(child.output()).to.match(/^POST +\/a +JWT in Authorization /m);
    expect(line).to.match(/\/b /);
  });

  it('without any definition: prints that', async () => {
    const child = await start({});
    const client = await waitUntilReady(child);
    expect(child.output()).to.contain('No endpoint');
    expect((await client.request('GET', '/status')).status).to.equal(200);
  });

  it('uses the address of .env, unless the environment sets another', async () => {
    const fromFile = await start({ ...ECHO, '.env': 'HOST=127.0.0.2\nPORT=1\n' });
    expect((await waitUntilReady(fromFile)).url).to.match(/^http:\/\/127\.0\.0\.2:\d{2,}$/);
    const fromEnv = await start({ ...ECHO, '.env': 'HOST=127.0.0.2\n' }, { env: { HOST: '127.0.0.3' } });
    expect((await waitUntilReady(fromEnv)).url).to.contain('127.0.0.3');
    const empty = await start(ECHO, { env: { HOST: '' } });
    expect((await waitUntilReady(empty)).url).to.contain('127.0.0.1');
  });

  it('logs JSON lines on stdout, and text on stderr', async () => {
    const child = await start(ECHO);
    const client = await waitUntilReady(child);
    const { headers } = await client.post('/echo', { a: 'canary-value' });
    const id = headers.get('x-request-id') ?? '';
    await child.waitForOutput(new RegExp(id));
    const { code, stdout } = await child.stop();
    expect(code).to.equal(0);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Loose);
    for (const row of rows) expect(row).to.include.keys('level', 'time', 'msg');
    const request = rows.find((row) => row['id'] === id);
    expect(request).to.include({ msg: 'request', resource: 'echo', status: 200 });
    expect(stdout).not.to.contain('canary-value');
  });

  it('has a readable log if LOG_FORMAT is set, and without it if LOG_LEVEL is set', async () => {
    const child = await start(ECHO, { env: { LOG_FORMAT: 'pretty' } });
    await (await waitUntilReady(child)).post('/echo', {});
    await child.waitForOutput(/INFO.*: request /);
    const { stdout } = await child.stop();
    expect(stdout).to.contain('ready at').and.not.contain('{"level"');
    const quiet = await start(ECHO, { env: { LOG_LEVEL: 'silent' } });
    await (await waitUntilReady(quiet)).post('/echo', {});
    expect((await quiet.stop()).stdout).to.equal('');
  });

  it('imports only the plugins that are used', async () => {
    const { folder } = await makeFolder({ 'definitions/a.json': defineReturnResource('r', '$GENERATOR.ULID') });
    const list = join(folder, 'loaded.txt');
    const preload = pathToFileURL(join(ROOT, 'test', 'fixtures', 'loader', 'record.js')).href;
    const child = startProcessIn(folder, {
      env: { LOADED_MODULES: list },
      node: ['--import', preload],
      isBundled: false,
    });
    const client = await waitUntilReady(child);
    expect((await client.post('/r', {})).status).to.equal(200);
    await child.stop();
    const loaded = await readFile(list, 'utf8');
    expect(loaded)
      .to.match(/node_modules\/ulid\//)
      .and.not.match(/node_modules\/(pg|pg-pool|@electric-sql|knex|ws|koa-websocket|busboy)\//)
      .and.not.match(/plugins\/triggers\/\w[\w-]*\/(server|runner|cron-scheduler)\.js/);
    expect(loaded).to.contain('/kernel/runtime/kernel.js');
    const runtimes = [...loaded.matchAll(/plugins\/(\w[\w-]*\/[\w-]+)\/runtime\.js/g)].map(([, name]) => name ?? '');
    expect([...new Set(runtimes)].sort()).to.deep.equal([
      'accessors/generator',
      'features/returnables',
      'generators/ulid',
      'modes/return',
      'observers/access-log',
    ]);
  });
});
