/** Which files become definitions when they are opened, and that a language selected by hand stays. */
import { expect } from 'chai';
import { EventEmitter } from 'node:events';
import { loadExtensionModule } from '../support/vscode-stand-in.js';

interface Document {
  readonly uri: { readonly scheme: string; readonly path: string };
  languageId: string;
}

interface Module {
  assignLanguage: (projects: object) => { dispose: () => void };
}

/** An editor with nothing but documents, which opens, shows and closes them as VS Code does. */
async function editor(holds: (document: Document) => boolean) {
  const events = new EventEmitter();
  const on = (name: string) => (listener: (value: unknown) => void) => {
    events.on(name, listener);
    return { dispose: () => events.off(name, listener) };
  };
  const shown = new Set<Document>();
  let changes = 0;
  const change = (document: Document, languageId: string): void => {
    events.emit('close', document);
    document.languageId = languageId;
    events.emit('open', document);
  };
  const changeFrom = (document: Document, languageId: string): void => {
    // Nothing holds a document that no editor shows: it is opened for the change.
    if (!shown.has(document)) change(document, 'json');
    if (++changes > MOST) throw new Error('the language is changed again and again');
    change(document, languageId);
    if (!shown.has(document)) events.emit('close', document);
  };
  const vscode = {
    Disposable: {
      from: (...all: { dispose: () => void }[]) => ({ dispose: () => all.forEach((each) => each.dispose()) }),
    },
    workspace: { onDidOpenTextDocument: on('open'), onDidCloseTextDocument: on('close') },
    window: {
      get visibleTextEditors() {
        return [...shown].map((document) => ({ document }));
      },
      onDidChangeVisibleTextEditors: on('visible'),
    },
    languages: {
      setTextDocumentLanguage: async (document: Document, languageId: string) => changeFrom(document, languageId),
    },
  };
  const { assignLanguage } = (await loadExtensionModule('language-mode', vscode)) as Module;
  const kept = assignLanguage({ onDidChange: on('projects'), hasDefinition: holds });
  const load = (path: string, languageId = 'json', scheme = 'file'): Document => {
    const document = { uri: { scheme, path, toString: () => `${scheme}:${path}` }, languageId };
    events.emit('open', document);
    return document;
  };
  const show = (document: Document): Document => {
    shown.add(document);
    events.emit('visible');
    return document;
  };
  return {
    kept,
    change,
    events,
    load,
    show,
    open: (...file: Parameters<typeof load>): Document => show(load(...file)),
    close: (document: Document): void => {
      shown.delete(document);
      events.emit('visible');
      events.emit('close', document);
    },
    countChanges: () => changes,
  };
}

const MOST = 20;

const inFolder = ({ uri }: Document): boolean => uri.path.startsWith('/definitions/');

describe('extension: language of a file', () => {
  it('is Lintel for JSON files of the project, and no others', async () => {
    const { open } = await editor(inFolder);
    expect(open('/definitions/a.json').languageId).to.equal('lintel');
    expect(open('/definitions/a.jsonc', 'jsonc').languageId).to.equal('lintel');
    expect(open('/other/a.json').languageId).to.equal('json');
    expect(open('/definitions/a.md', 'markdown').languageId).to.equal('markdown');
    expect(open('/definitions/a.json', 'json', 'git').languageId).to.equal('json');
  });

  it('becomes Lintel when the config names the file', async () => {
    let isHeld = false;
    const { open, events } = await editor(() => isHeld);
    const document = open('/definitions/a.json');
    expect(document.languageId).to.equal('json');
    isHeld = true;
    events.emit('projects');
    expect(document.languageId).to.equal('lintel');
  });

  it('stays the language chosen by hand, until the file is closed', async () => {
    const { open, change, close, events } = await editor(inFolder);
    const document = open('/definitions/a.json');
    change(document, 'json');
    expect(document.languageId).to.equal('json');
    events.emit('projects');
    expect(document.languageId).to.equal('json');
    await Promise.resolve();
    close(document);
    await Promise.resolve();
    expect(open('/definitions/a.json').languageId).to.equal('lintel');
  });

  it('is set again after the file was closed and opened', async () => {
    const { open, close } = await editor(inFolder);
    close(open('/definitions/a.json'));
    await Promise.resolve();
    expect(open('/definitions/a.json').languageId).to.equal('lintel');
  });

  it('is set when an editor shows the file, not when another extension or a search opens it', async () => {
    const { load, show, countChanges } = await editor(inFolder);
    const document = load('/definitions/a.json');
    expect([document.languageId, countChanges()]).to.deep.equal(['json', 0]);
    expect(show(document).languageId).to.equal('lintel');
    expect(countChanges()).to.equal(1);
  });

  it('is not changed after the extension was deactivated', async () => {
    const { open, kept } = await editor(inFolder);
    kept.dispose();
    expect(open('/definitions/a.json').languageId).to.equal('json');
  });
});
