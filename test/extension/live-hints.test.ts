/** Hints of the last requests, in a fake editor, with the listener of `lintel dev`. */
import { expect } from 'chai';
import { join } from 'node:path';
import { listenForEditors, type EditorListener } from '../../cli/editor-listener.js';
import { createRequestReports } from '../../cli/request-reports.js';
import type { InvocationRecord } from '../../contract/telemetry.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { createTempProject, type TempProject } from '../support/project.js';
import { waitUntil } from '../support/until.js';
import { loadExtensionModule } from '../support/vscode-stand-in.js';

interface Hint {
  readonly position: { readonly line: number; readonly character: number };
  readonly label: string;
}
interface Provider {
  readonly provideInlayHints: (document: object, range: object) => Promise<readonly Hint[]>;
}

class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
  translate = (lines: number, characters: number): Position =>
    new Position(this.line + lines, this.character + characters);
}
class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(line: number, character: number, endLine: number, endCharacter: number) {
    this.start = new Position(line, character);
    this.end = new Position(endLine, endCharacter);
  }
}
const uri = (path: string): object => ({ path, fsPath: path, toString: () => `file://${path}` });
const formatRange = (line: number, character: number): object => ({
  start: { line, character },
  end: { line, character: character + 3 },
});

describe('extension: hints of the last requests', () => {
  let project: TempProject;
  let listener: EditorListener | null = null;
  let watched: Record<'create' | 'delete', (file: object) => void>;
  let record: (record: InvocationRecord) => void;
  const reports = createRequestReports();
  reports.register({ tap: (_name: string, tap: typeof record) => void (record = tap) } as never);

  const listenForEditor = async (): Promise<void> => {
    listener = await listenForEditors({ project: { folder: project.folder } } as Kernel, reports);
  };

  async function openWindow(isTrusted: boolean): Promise<Provider> {
    let provider: Provider | undefined;
    const none = { dispose: () => undefined };
    const note =
      (name: 'create' | 'delete') =>
      (run: (file: object) => void): object => ((watched = { ...watched, [name]: run }), none);
    const vscode = {
      ...{ Position, Range },
      InlayHint: class {
        constructor(
          readonly position: Position,
          readonly label: string,
        ) {}
      },
      EventEmitter: class {
        event = (): void => undefined;
        fire = (): void => undefined;
        dispose = (): void => undefined;
      },
      Disposable: class {
        static from = (): object => none;
      },
      Uri: { joinPath: ({ path }: { readonly path: string }, ...names: string[]) => uri(join(path, ...names)) },
      languages: {
        registerInlayHintsProvider: (_selector: object, given: Provider) => ((provider = given), none),
      },
      workspace: {
        isTrusted,
        onDidGrantWorkspaceTrust: () => none,
        createFileSystemWatcher: () => ({
          ...none,
          onDidCreate: note('create'),
          onDidChange: () => none,
          onDidDelete: note('delete'),
        }),
      },
    };
    const module = (await loadExtensionModule('live-hints', vscode)) as {
      readonly showLiveHints: (session: object, projects: object) => object;
    };
    const resources = [
      { id: 'a', uri: 'file:///a.json', range: formatRange(1, 8), actions: { 'a/1': formatRange(3, 4) } },
      { id: 'b', uri: 'file:///b.json', range: formatRange(1, 8), actions: {} },
    ];
    const one = { folder: uri(project.folder) };
    module.showLiveHints(
      { state: () => 'running', client: () => ({ sendRequest: async () => resources }) },
      { all: () => [one], find: () => one, onDidChange: () => none },
    );
    if (provider === undefined) throw new Error('no provider was registered');
    return provider;
  }

  const readHints = async (provider: Provider): Promise<string[]> => {
    const hints = await provider.provideInlayHints({ uri: uri('/a.json') }, { contains: () => true });
    return hints.map(({ position: { line, character }, label }) => `${line}:${character} ${label}`);
  };
  const REQUEST = { trigger: 'http', path: 'a', method: 'POST', startedAt: 0 } as const;
  const respond = (status: number, code: string | undefined, rows: number): void =>
    record({
      ...REQUEST,
      ...{ id: 'r', resource: 'a', status, code, milliseconds: 12.4 },
      actions: [{ key: 'a/1', mode: 'QUERY', startedAt: 0, milliseconds: 2.34, code, rows: () => rows }],
    });

  before(async () => (project = await createTempProject({ 'lintel.config.json': {} })));
  after(async () => {
    await listener?.close();
    await project.dispose();
  });

  it('appear while `lintel dev` runs, change with each request, and disappear when it ends', async () => {
    const provider = await openWindow(true);
    expect(await readHints(provider)).to.deep.equal([]);
    await listenForEditor();
    watched.create(uri(join(project.folder, '.lintel/dev.json')));
    respond(200, undefined, 1);
    await waitUntil(async () => (await readHints(provider)).length === 2, 'the hints');
    expect(await readHints(provider)).to.deep.equal(['1:11 200, 12 ms', '3:5 2.3 ms, 1 row']);
    respond(409, 'TBL_CONFLICT', 0);
    await waitUntil(async () => (await readHints(provider))[0]?.startsWith('1:11 409') === true, 'the next request');
    expect(await readHints(provider)).to.deep.equal(['1:11 409 TBL_CONFLICT, 12 ms', '3:5 2.3 ms, TBL_CONFLICT']);
    await listener?.close();
    await waitUntil(async () => (await readHints(provider)).length === 0, 'their end');
  });

  it('are not requested in a folder that is not trusted', async () => {
    await listenForEditor();
    const [restricted, trusted] = [await openWindow(false), await openWindow(true)];
    watched.create(uri(join(project.folder, '.lintel/dev.json')));
    await waitUntil(async () => (await readHints(trusted)).length > 0, 'the hints of another window');
    expect(await readHints(restricted)).to.deep.equal([]);
  });
});
