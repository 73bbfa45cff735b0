/** `lintel mcp` in a process of its own, asked by the client of the protocol's own package. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { expect } from 'chai';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bareEnv } from '../support/child.js';
import { createTempProject, defineReturnResource, ROOT, type TempProject } from '../support/project.js';
import { waitUntil } from '../support/until.js';

const TEST = {
  id: 'greeting',
  cases: [
    { id: 'it greets', steps: [{ request: { resource: 'hello' }, expect: { body: { text: 'hello' } } }] },
    { id: 'it fails', steps: [{ request: { resource: 'hello' }, expect: { body: { text: 'bye' } } }] },
  ],
};

describe('lintel mcp', () => {
  let project: TempProject;
  let child: ChildProcessWithoutNullStreams;
  let printed = '';
  const client = new Client({ name: 'test', version: '1.0.0' });
  before(async () => {
    project = await createTempProject({
      'lintel.config.json': {},
      'definitions/hello.resource.json': defineReturnResource('hello', { text: 'hello' }),
      'definitions/_note.model.json': { id: { type: 'String', primary_key: true, max_length: 26 } },
      'definitions/greeting.test.json': TEST,
    });
    const program = join(ROOT, 'dist', 'bundle', 'cli.js');
    child = spawn(process.execPath, [program, 'mcp'], { cwd: project.folder, env: bareEnv() });
    child.stdout.on('data', (part: Buffer) => (printed += part.toString('utf8')));
    // The transport reads and writes lines, whichever side it is on.
    await client.connect(new StdioServerTransport(child.stdout, child.stdin));
  });
  after(async () => {
    const closed = once(child, 'close');
    child.stdin.end();
    expect(await closed).to.deep.equal([0, null]);
    await project.dispose();
  });
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: given });
    const [first] = content as { text: string }[];
    return { text: first?.text ?? '', isError: isError === true };
  };

  it('has five tools, which only read', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).to.deep.equal(['schema', 'describe', 'check', 'plan', 'test']);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).to.equal(true);
    expect(client.getInstructions()).to.contain('never write');
  });

  it('returns the schema of kinds and plugins', async () => {
    expect((await call('schema')).text).to.contain('"kind": "feature"');
    expect((await call('schema', { kind: 'mode' })).text).to.contain('RETURN');
    const { text } = await call('schema', { kind: 'feature', plugin: 'payload_validation' });
    expect(JSON.parse(text)).to.have.nested.property('slots.actionable');
    expect((await call('schema', { kind: 'modes' })).text).to.contain('Did you mean "mode"?');
  });

  it('describes plugins, codes, and what the project has', async () => {
    expect((await call('describe', { plugin: 'returnables' })).text).to.contain('## `returnables`');
    expect((await call('describe', { code: 'DEF_UNKNOWN_KEY' })).text).to.contain('DEF_UNKNOWN_KEY (error)');
    expect(JSON.parse((await call('describe')).text)).to.deep.equal({
      resources: [{ id: 'hello', path: 'hello' }],
      models: ['_note'],
    });
    expect(JSON.parse((await call('describe', { resource: '/hello' })).text)).to.nested.include({
      'request.path': '/hello',
      'actionables[0].mode': 'RETURN',
    });
    expect((await call('describe', { model: 'note' })).text).to.contain('"max_length": 26');
    expect((await call('describe', { resource: 'helo' })).text).to.contain('Did you mean "hello"?');
  });

  it('checks the project, with texts that are not written, and writes none', async () => {
    expect(await call('check')).to.include({ isError: false });
    const text = JSON.stringify(defineReturnResource('b', 1, { returnable: ['a'] }));
    const files = [{ file: 'definitions/b.json', text }];
    const { text: problems, isError } = await call('check', { files });
    expect(isError).to.equal(true);
    expect(problems).to.contain('DEF_INVENTED').and.contain('definitions/b.json');
    expect((await readdir(join(project.folder, 'definitions'))).includes('b.json')).to.equal(false);
    const outside = await call('check', { files: [{ file: '../b.json', text }] });
    expect(outside).to.include({ isError: true }).and.property('text').contains('relative path');
  });

  it('shows plans and runs tests', async () => {
    expect(JSON.parse((await call('plan', { resource: 'hello' })).text)).to.include({ id: 'hello' });
    expect((await call('plan', { resource: '--help' })).text).to.contain('does not exist');
    const one = await call('test', { filter: 'greets' });
    expect(one).to.include({ isError: false });
    expect(one.text).to.contain('it greets').and.not.contain('it fails');
    expect(await call('test')).to.include({ isError: true });
  });

  it('rejects other tools, arguments and messages, and continues', async () => {
    expect((await call('write', {})).text).to.contain('There is no tool "write"');
    expect((await call('plan', { resurce: 'hello' })).text).to.contain('did you mean "resource"');
    child.stdin.write(`{"jsonrpc": "2.0", "id": 1, \n"${'x'.repeat(1_100_000)}"\n[1]\n`);
    await waitUntil(() => printed.includes('"code":-32700') && printed.includes('"code":-32600'));
    expect((await call('schema', { kind: 'mode' })).text).to.contain('RETURN');
  });
});
