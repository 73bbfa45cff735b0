/** The status items while the server starts, while it reads a project, and after all problems were reported. */
import { expect } from 'chai';
import { createProjectStatusStore, type ProjectStatusStore } from '../../extension/src/project-status.js';
import { loadExtensionModule } from '../support/vscode-stand-in.js';

interface Item {
  text: string;
  detail?: string;
  busy?: boolean;
}

/** An editor with one project, and the messages of its server. */
async function statusBar(folder: string) {
  const items = new Map<string, Item>();
  const listeners: (() => void)[] = [];
  const listen = (listener: () => void) => {
    listeners.push(listener);
    return { dispose: () => undefined };
  };
  const vscode = {
    Disposable: { from: () => ({ dispose: () => undefined }) },
    DiagnosticSeverity: { Error: 0, Warning: 1 },
    LanguageStatusSeverity: { Information: 0, Warning: 1, Error: 2 },
    languages: {
      createLanguageStatusItem: (id: string) => {
        const item: Item = { text: '' };
        items.set(id, item);
        return item;
      },
      getDiagnostics: () => [
        [
          {},
          [
            { source: 'lintel', severity: 0 },
            { source: 'other', severity: 0 },
          ],
        ],
      ],
      onDidChangeDiagnostics: listen,
    },
    window: { activeTextEditor: undefined, onDidChangeActiveTextEditor: listen },
    workspace: { asRelativePath: (uri: string) => uri },
  };
  const { showStatus } = (await loadExtensionModule('status', vscode)) as {
    showStatus: (session: object, projects: object) => void;
  };
  const store = createProjectStatusStore();
  let state = 'starting';
  const current = { folder: { toString: () => folder }, config: 'lintel.config.json' };
  showStatus(
    { onDidChange: listen, state: () => state, projectStatus: store },
    { onDidChange: listen, find: () => current },
  );
  const item = (): Item => items.get('lintel.project') ?? { text: 'none' };
  return {
    item,
    become: (next: string, say?: (words: ProjectStatusStore) => void): void => {
      state = next;
      say?.(store);
      listeners.forEach((listener) => listener());
    },
  };
}

const FOLDER = 'file:///c%3A/projects/my%20shop';
/** The same, as a server writes it. */
const ROOT_SAID = 'file:///c:/projects/my%20shop';

describe('extension: status of the project', () => {
  it('shows that the definitions are being read, until all problems are reported', async () => {
    const { item, become } = await statusBar(FOLDER);
    become('running');
    expect(item()).to.include({ text: '1 error, 0 warnings', busy: false });
    become('running', (words) => words.setReading({ root: ROOT_SAID }));
    expect(item()).to.include({ text: '1 error, 0 warnings, reading the definitions', busy: true });
    become('running', (words) => words.setStatus({ root: ROOT_SAID, resources: 3, models: 1 }));
    expect(item()).to.include({ text: '1 error, 0 warnings', busy: false });
    expect(item().detail).to.equal('lintel.config.json, 3 resources, 1 model');
  });

  it('is not about another project, nor about a server that has ended', async () => {
    const { item, become } = await statusBar(FOLDER);
    become('running', (words) => words.setReading({ root: 'file:///c:/projects/other' }));
    expect(item().busy).to.equal(false);
    become('running', (words) => words.setReading({ root: ROOT_SAID }));
    become('stopped');
    expect(item()).to.include({ text: '1 error, 0 warnings', busy: false });
  });
});

describe('extension: status messages of the server', () => {
  it('are discarded when the server restarts', () => {
    const words = createProjectStatusStore();
    words.setStatus({ root: 'file:///a', resources: 1, models: 0 });
    words.setReading({ root: 'file:///b' });
    expect(words.get('file:///a').status?.resources).to.equal(1);
    expect(words.get('file:///b').isRead).to.equal(false);
    words.clear();
    expect(words.get('file:///a').status).to.equal(undefined);
    expect(words.get('file:///b').isRead).to.equal(true);
  });

  it('apply to every folder if the server names none', () => {
    const words = createProjectStatusStore();
    words.setReading({});
    expect(words.get('file:///a').isRead).to.equal(false);
    words.setStatus({ resources: 2, models: 0 });
    expect(words.get('file:///a')).to.deep.include({ isRead: true });
    expect(words.get(undefined).status?.resources).to.equal(2);
  });

  it('ignore an invalid address', () => {
    const words = createProjectStatusStore();
    words.setReading({ root: 'file:///%E0%A4%A' });
    expect(words.get('file:///%E0%A4%A').isRead).to.equal(false);
  });
});
