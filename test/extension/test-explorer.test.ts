/**
 * The Test Explorer in a fake editor, with the real `lintel test`: the cases that the server lists, a run of all and of
 * one, failures at their position, coverage, a debugger, and a folder that is not trusted.
 */
import { expect } from 'chai';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hostAdapter } from '../support/debug-client.js';
import { createTempProject, defineReturnResource, ROOT, type TempProject } from '../support/project.js';
import { loadExtensionModule } from '../support/vscode-stand-in.js';

interface Item {
  readonly id: string;
  readonly label: string;
  readonly children: Items;
}
interface Items extends Iterable<readonly [string, Item]> {
  replace(items: readonly Item[]): void;
  list(): readonly Item[];
}
type Handler = (request: object, token: object) => Promise<void>;

function createItems(): Items {
  let all: readonly Item[] = [];
  return {
    replace: (items) => void (all = items),
    list: () => all,
    [Symbol.iterator]: () => all.map((item) => [item.id, item] as const)[Symbol.iterator](),
  };
}

const FILE = 'definitions/numbers.test.json';
const at = (line: number) => ({ start: { line, character: 0 }, end: { line, character: 1 } });
const step = (body: unknown): object => ({ request: { resource: 'one' }, expect: { body } });
const TESTS = {
  id: 'numbers',
  cases: [
    { id: 'is one', steps: [step({ n: 1 })] },
    { id: 'is two', steps: [step({ n: 2 })] },
  ],
};
class TestMessage {
  readonly expectedOutput?: string;
  readonly actualOutput?: string;
  constructor(readonly text: string) {}
}

const TOKEN = { onCancellationRequested: () => ({ dispose: () => undefined }) };

describe('extension: Test Explorer', () => {
  let project: TempProject;
  let items: Items;
  let isTrusted = true;
  const handlers: Handler[] = [];
  let seen: string[] = [];
  const printed: string[] = [];
  const compared: unknown[] = [];
  const covered: { readonly path: string; readonly hits: readonly number[] }[] = [];
  const started: unknown[] = [];
  /** What a debug session does, and whether it has started. */
  let attach: () => Promise<boolean>;
  const profiles: { loadDetailedCoverage?: unknown }[] = [];

  before(async () => {
    project = await createTempProject({
      'lintel.config.json': {},
      'definitions/one.resource.json': { ...defineReturnResource('one', { n: 1 }), id: 'one' },
      'definitions/never.resource.json': { ...defineReturnResource('never', 1), id: 'never' },
      [FILE]: TESTS,
    });
    const bin = join(project.folder, 'node_modules', '.bin');
    await mkdir(bin, { recursive: true });
    const script = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'dist/bundle/cli.js')}' "$@"\n`;
    await writeFile(join(bin, 'lintel'), script, { mode: 0o755 });
    const { showTests } = (await loadExtensionModule('test-explorer', createEditor())) as {
      readonly showTests: (session: object) => unknown;
    };
    const folder = pathToFileURL(project.folder).href;
    const cases = TESTS.cases.map(({ id }, index) => ({ id, range: at(index + 2) }));
    const listed = [{ folder, uri: `${folder}/${FILE}`, file: FILE, id: 'numbers', range: at(1), cases }];
    showTests({
      state: () => 'running',
      onDidChange: () => ({ dispose: () => undefined }),
      client: () => ({ sendRequest: () => Promise.resolve(listed) }),
    });
    await new Promise(setImmediate);
  });
  after(() => project.dispose());

  function createEditor(): object {
    const toUri = (path: string) => ({ path, fsPath: path });
    const run = {
      started: ({ label }: Item) => seen.push(`started ${label}`),
      passed: ({ label }: Item) => seen.push(`passed ${label}`),
      failed: (
        { label }: Item,
        messages: readonly (TestMessage & { readonly location: { readonly line: number } })[],
      ) => {
        seen.push(`failed ${label}: ${messages.map(({ text, location }) => `${text} (line ${location.line})`).join()}`);
        compared.push(...messages.map((one) => [one.expectedOutput, one.actualOutput]));
      },
      appendOutput: (text: string) => printed.push(text),
      errored: ({ label }: Item, { text }: { readonly text: string }) => seen.push(`errored ${label}: ${text}`),
      skipped: ({ label }: Item) => seen.push(`skipped ${label}`),
      addCoverage: (file: (typeof covered)[number]) => covered.push(file),
      end: () => seen.push('end'),
    };
    class Detail {
      constructor(
        readonly first: unknown,
        readonly second: unknown,
      ) {}
    }
    const controller = {
      items: (items = createItems()),
      createTestItem: (id: string, label: string, uri: object) => ({ id, label, uri, children: createItems() }),
      createTestRun: () => run,
      createRunProfile: (_label: string, _kind: number, handler: Handler) => {
        handlers.push(handler);
        profiles.push({});
        return profiles.at(-1);
      },
    };
    return {
      tests: { createTestController: () => controller },
      TestRunProfileKind: { Run: 1, Debug: 2, Coverage: 3 },
      TestMessage,
      StatementCoverage: Detail,
      DeclarationCoverage: class extends Detail {},
      FileCoverage: {
        fromDetails: ({ path }: { readonly path: string }, details: readonly Detail[]) => ({
          path,
          hits: details.map(({ first, second }) => Number(typeof first === 'number' ? first : second)),
        }),
      },
      Location: class {
        constructor(
          readonly uri: object,
          readonly range: { readonly line: number },
        ) {}
        get line(): number {
          return this.range.line;
        }
      },
      Range: class {
        constructor(readonly line: number) {}
      },
      Disposable: { from: () => ({}) },
      Uri: {
        parse: (text: string) => toUri(new URL(text).pathname),
        joinPath: ({ path }: { readonly path: string }, name: string) => toUri(join(path, name)),
      },
      debug: {
        startDebugging: (_folder: unknown, ...given: readonly unknown[]) => (started.push(given), attach()),
      },
      workspace: {
        getWorkspaceFolder: () => undefined,
        get isTrusted() {
          return isTrusted;
        },
        getConfiguration: () => ({ get: () => '' }),
      },
    };
  }

  async function runTests(handler: Handler | undefined, request: object, token: object = TOKEN): Promise<string[]> {
    seen = [];
    await handler?.(request, token);
    return seen;
  }
  const findCase = (name: string): Item | undefined =>
    items
      .list()[0]
      ?.children.list()
      .find(({ label }) => label === name);

  it('lists the cases below their group', () => {
    expect(items.list().map(({ label, children }) => [label, children.list().map((one) => one.label)])).to.deep.equal([
      ['numbers', ['is one', 'is two']],
    ]);
  });

  it('runs all cases, with failures at their position, and one case', async () => {
    const all = await runTests(handlers[0], {});
    expect(all.slice(0, 3)).to.deep.equal(['started is one', 'started is two', 'passed is one']);
    expect(all[3]).to.match(/^failed is two: expected 2, received 1 \(line \d+\)$/);
    const format = (n: number): string =>
      `expected 2, received 1\n\nPOST /one\n\n${JSON.stringify({ status: 200, body: { n } }, null, 2)}`;
    expect(compared).to.deep.equal([[format(2), format(1)]]);
    expect(printed.join('')).to.match(/^✓ numbers: is one \(\d+ ms\)\r\n✗ .*\r\n {2}expected 2, received 1\r\n$/);
    expect(await runTests(handlers[0], { include: [findCase('is one')] })).to.deep.equal([
      'started is one',
      'passed is one',
      'end',
    ]);
    expect(await runTests(handlers[0], { exclude: [findCase('is two')] })).to.deep.equal([
      'started is one',
      'passed is one',
      'end',
    ]);
  });

  it('shows the coverage of the cases', async () => {
    await runTests(handlers[1], {});
    expect(covered.map(({ path, hits }) => [path.split('/').at(-1), hits])).to.deep.equal([
      ['never.resource.json', [0, 0]],
      ['one.resource.json', [2, 2]],
    ]);
    expect(profiles[1]?.loadDetailedCoverage).to.be.a('function');
  });

  it('debugs cases, of which none runs after the session has ended', async () => {
    attach = async () => {
      const debug = hostAdapter(project.folder);
      const file = join(project.folder, 'definitions/one.resource.json');
      await debug.start('attach', { test: true }, { [file]: [{ line: 1 }] });
      const { at: place } = await debug.waitForStop();
      await debug.request('disconnect');
      return place.startsWith('one');
    };
    expect((await runTests(handlers[2], {})).slice(2)).to.deep.equal(['passed is one', 'skipped is two', 'end']);
    const configuration = { type: 'lintel', request: 'attach', name: 'Debug tests', cwd: project.folder, test: true };
    expect(started[0]).to.have.property('0').that.deep.equals(configuration);
    expect(started[0]).to.have.nested.property('1.testRun');
    let cancelRun = (): void => undefined;
    const token = {
      onCancellationRequested: (cancel: () => void) => ((cancelRun = cancel), { dispose: () => undefined }),
    };
    let ended: Promise<unknown> | undefined;
    attach = async () => {
      const debug = hostAdapter(project.folder);
      await debug.start('attach', { test: true, stopOnEntry: true });
      await debug.waitForStop();
      cancelRun();
      ended = debug.waitForEvent('terminated').then(() => debug.request('disconnect'));
      return true;
    };
    expect((await runTests(handlers[2], {}, token)).slice(2)).to.deep.equal([
      'skipped is one',
      'skipped is two',
      'end',
    ]);
    await ended;
    attach = () => Promise.resolve(false);
    expect(await runTests(handlers[2], { include: [findCase('is one')] })).to.deep.equal([
      'started is one',
      'errored is one: The debugger was not attached, so no case was run.',
      'end',
    ]);
  });

  it('shows the errors of definitions, and runs nothing in a folder that is not trusted', async () => {
    await project.write(FILE, { ...TESTS, cases: [{ id: 'is one', steps: [{ request: { resource: 'on' } }] }] });
    const failed = await runTests(handlers[0], { include: [findCase('is one')] });
    expect(failed[1]).to.match(/^errored is one: [^]*LNK_UNKNOWN_RESOURCE/);
    isTrusted = false;
    for (const handler of [handlers[0], handlers[2]])
      expect((await runTests(handler, { include: [findCase('is one')] }))[1]).to.match(
        /^errored is one: This workspace is not trusted/,
      );
    expect(started).to.have.lengthOf(3);
  });
});
