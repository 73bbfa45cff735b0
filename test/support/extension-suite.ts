/**
 * The extension in a real VS Code, driven like by a user: the .vsix from `npm run package`, on the sample, with a
 * kernel that serves the same folder. One editor for the whole suite: first the folder has programs of another author
 * and is not trusted, then it is trusted; or it never is. `SCREENSHOTS=1` writes the pictures of the README.
 */
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { hostCli, runCli, type Running } from './cli.js';
import { startEditor, type Editor } from './editor.js';
import { debugCases, debugRequest } from './editor-debugger.js';
import { createProjectInEmptyWindow } from './editor-new-project.js';
import { hasPictures, savePicture } from './editor-pictures.js';
import { runStatement } from './editor-statement.js';
import { installLintel, OWN, STRANGE } from './extension-project.js';
import { copySample, ROOT, SAMPLE_ENV, createTempProject, type TempProject } from './project.js';
import { isDeepRun } from './sample.js';
import { waitUntil } from './until.js';
import { makeVsix } from './vsix.js';
import { skipTest } from './skip.js';
import { findEditor } from './vscode.js';

const HEALTH = 'definitions/resources/health.resource.json';
const WALLET = 'definitions/resources/wallet.resource.json';
const COMMANDS = (
  JSON.parse(readFileSync(join(ROOT, 'extension', 'package.json'), 'utf8')) as {
    readonly contributes: { readonly commands: readonly { readonly command: string }[] };
  }
).contributes.commands.map(({ command }) => command);
/** A menu hides commands that need trust; a key runs them anyway. */
const KEYS = COMMANDS.map((command, at) => ({
  // Alt+F4 closes windows.
  key: at < 11 ? `Shift+Alt+F${at + 1}` : `Alt+F${at < 14 ? at - 10 : at - 9}`,
  command,
}));
/** Parts of the screen of pictures, without the side bar. */
const EDITORS = { x: 350, y: 35, width: 850, height: 430 };
const EDITORS_AND_PANEL = { ...EDITORS, height: 680 };
/** Of the editor's own command that clears notifications. */
const FORGET = 'Shift+Alt+F12';

/** `trusted`: at the end; before that the folder is untrusted. */
export function describeExtension(trusted: boolean): void {
  let project!: TempProject;
  let kernel: Running | undefined;
  let editor: Editor | undefined;
  const getEditor = (): Editor => editor!;
  /** Empty without one. */
  const onDisk = (file: string): Promise<string> => readFile(join(project.folder, file), 'utf8').catch(() => '');
  const listStrangeFiles = (): Promise<string[]> => readdir(join(project.folder, 'ran'));
  const picture = (name: string, clip = EDITORS): Promise<void> => savePicture(getEditor(), name, clip);

  before(async function () {
    this.timeout(240_000);
    const found = findEditor();
    if ('skip' in found) return skipTest(this, found.skip);
    const variables = Object.entries(SAMPLE_ENV).map(([name, value]) => `${name}=${value}\n`);
    project = await createTempProject({ ...OWN, '.env': `${variables.join('')}PORT=0\n` });
    await copySample(project.folder);
    kernel = hostCli(['serve'], { cwd: project.folder, env: { ...SAMPLE_ENV, PORT: '0' } });
    const [[, url = ''], { file: vsix }] = await Promise.all([kernel.waitForOutput(/ready at (http:\S+)/), makeVsix()]);
    for (const [name, content] of Object.entries(STRANGE))
      // A kernel serves the folder, and a command checks it: they run plugins of the config.
      if (trusted || name !== 'lintel.config.json') await project.write(name, content);
    await mkdir(join(project.folder, 'ran'));
    await installLintel(project.folder, `touch '${join(project.folder, 'ran', 'lintel')}'`);
    const settings = { 'lintel.request.baseUrl': url };
    const started = await startEditor({
      folder: project.folder,
      vsix: [vsix],
      settings: { ...settings, ...(hasPictures && { 'editor.minimap.enabled': false }) },
      ...(hasPictures && { viewport: { width: 1200, height: 750 } }),
      keys: [...KEYS, { key: FORGET, command: 'notifications.clearAll' }],
    });
    if ('skip' in started) return skipTest(this, started.skip);
    editor = started;
  });
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed' || editor === undefined) return;
    const file = join(tmpdir(), `editor-${Date.now()}.png`);
    await editor.saveScreenshot(file);
    process.stderr.write(`the editor after the failure: ${file}\n${await editor.readServerLog()}\n`);
  });
  after(async () => {
    await Promise.all([editor?.close(), kernel?.stop()]);
    await project?.dispose();
  });

  const getPage = (): Editor['page'] => getEditor().page;
  const closeEditors = (): Promise<void> =>
    getEditor().run('View: Close All Editors', () => getPage().locator('.tab').first().waitFor({ state: 'detached' }));
  /** The visible effect of each command here; the one that shows another file is last. */
  const pressed: readonly (readonly [command: string, seen: () => Promise<unknown>])[] = [
    ['lintel.restartServer', () => Promise.resolve()],
    ['lintel.newProject', () => getEditor().waitForInput('New project')],
    ['lintel.newResource', () => getEditor().waitForInput('New resource')],
    ['lintel.newModel', () => getEditor().waitForInput('New model')],
    ['lintel.install', () => getEditor().readNotification('not trusted')],
    ['lintel.run', () => getEditor().readNotification('not trusted')],
    ['lintel.check', () => getEditor().readNotification('not trusted')],
    ['lintel.editStatement', () => getEditor().readNotification('no SQL statement')],
    ['lintel.showValueFlow', () => getEditor().readNotification('no value here')],
    ['lintel.runStatement', () => getEditor().readNotification('not trusted')],
    ['lintel.explainStatement', () => getEditor().readNotification('not trusted')],
    ['lintel.showOutput', () => getPage().locator('.panel .output-view').waitFor()],
    ['lintel.openApi', () => getEditor().answerDialog('Send requests from a restricted folder?', 'Cancel')],
    ['lintel.showPlan', () => getEditor().findWebview('#problems:has-text("not trusted")')],
    ['lintel.sendRequest', () => getEditor().findWebview('#send')],
    ['lintel.newUntitled', () => getPage().locator('.tab.active[data-resource-name^="Untitled-"]').waitFor()],
    ['lintel.openConfig', () => getPage().locator('.tab.active[data-resource-name="lintel.config.json"]').waitFor()],
  ];

  if (trusted) {
    it('starts nothing from an untrusted folder, whichever command is called', async () => {
      // Only a lens runs that one, with its arguments.
      const called = pressed.map(([command]) => command).concat('lintel.showReferences');
      expect(called).to.have.members(COMMANDS);
      await getEditor().open('definitions/own/shelf.json', 2, 10);
      await getEditor().waitForLanguage('Lintel');
      for (const [command, seen] of pressed) {
        const key = KEYS.find((one) => one.command === command)?.key ?? '';
        await getEditor().actUntilSeen(() => getEditor().pressKeys(key), seen);
        if (/run|check|explain|install/i.test(command)) await getEditor().pressKeys(FORGET);
        if (command !== 'lintel.openConfig') await getEditor().closePanels();
      }
      expect(await listStrangeFiles()).to.deep.equal([]);
    });

    it('starts nothing from it, whichever lens is clicked', async () => {
      const lenses: readonly (readonly [title: string, seen: () => Promise<unknown>])[] = [
        ['1 reference', () => getPage().locator('.peekview-widget').first().waitFor()],
        ['Send request', () => getEditor().findWebview('#send')],
        ['Show plan', () => getEditor().findWebview('#problems:has-text("not trusted")')],
      ];
      await getEditor().open('definitions/own/shelf.json');
      // Each lens is drawn when the server has resolved it.
      for (const [title] of lenses)
        await getPage().locator('.codelens-decoration a').filter({ hasText: title }).waitFor();
      const titles = (await getPage().locator('.codelens-decoration a').allInnerTexts()).map((title) => title.trim());
      expect(titles).to.have.members(lenses.map(([title]) => title));
      for (const [title, seen] of lenses) {
        await getEditor().clickCodeLens(title, seen);
        await getEditor().closePanels();
      }
      expect(await listStrangeFiles()).to.deep.equal([]);
    });

    it('is trusted after the files of another author are removed', async () => {
      await project.write('lintel.config.json', OWN['lintel.config.json']);
      for (const name of ['strange', '.vscode']) await rm(join(project.folder, name), { recursive: true });
      await installLintel(project.folder);
      await getEditor().trustWorkspace();
      await closeEditors();
    });
  }

  it('recognizes a definition by the config, and colours the SQL in its strings', async () => {
    await getEditor().open('definitions/own/shelf.json');
    await getEditor().waitForLanguage('Lintel');
    // Colours appear when the grammar has been read, and a line is redrawn with them.
    const readColours = (): Promise<string[]> =>
      Promise.all(['SELECT', '"query"', '"shelf"'].map((token) => getEditor().readColour(token)));
    await waitUntil(async () => {
      const [select = '', ...others] = await readColours();
      return select !== '' && others.every((other) => other !== '' && other !== select);
    }, 'SQL in a colour of its own');
  });

  it('writes a resource of the gallery, which is valid', async () => {
    await getEditor().run('Lintel: New Resource...', () => getEditor().waitForInput('New resource'));
    await getEditor().submitInput('New resource', '');
    await getEditor().submitInput('', 'fresh');
    await waitUntil(
      async () => (await onDisk('definitions/resources/fresh.resource.json')).includes('"fresh"'),
      'the file',
    );
    await getEditor().waitForLanguage('Lintel');
    const { code, stdout, stderr } = await runCli(['check'], { cwd: project.folder, env: SAMPLE_ENV });
    expect([code, stdout, stderr]).to.deep.equal([0, stdout, stderr]);
  });

  it('writes the endpoints of a model and their tests as saved files', async () => {
    const model = { id: { type: 'String', primary_key: true, max_length: 26 }, label: { type: 'String' } };
    await project.write('definitions/models/_tag.model.json', model);
    await getEditor().open('definitions/models/_tag.model.json', 2, 5);
    await getEditor().waitForLanguage('Lintel');
    const offer = getPage().locator('.action-widget .monaco-list-row', { hasText: 'Write endpoints for this model' });
    await getEditor().actUntilSeen(
      () => getEditor().pressKeys('Escape', 'Control+.'),
      () => offer.waitFor(),
    );
    await offer.click();
    for (const name of ['resources/tag.resource.json', 'tests/tag.test.json'])
      await waitUntil(async () => (await onDisk(`definitions/${name}`)).includes('"tag'), name);
    const { code, stdout, stderr } = await runCli(['check'], { cwd: project.folder, env: SAMPLE_ENV });
    expect([code, stdout, stderr]).to.deep.equal([0, stdout, stderr]);
  });

  it('underlines a mistake while it is typed, and explains it', async () => {
    await getEditor().open('definitions/own/desk.json', 4, 3);
    await getEditor().type('"actionabels": [],');
    await getEditor().findSquiggles();
    const problems = await getEditor().readProblems('actionabels');
    expect(problems).to.contain('DEF_UNKNOWN_KEY').and.contain('lintel');
    await picture('problems', EDITORS_AND_PANEL);
    await getEditor().revertChanges();
    await getEditor().waitUntilClean();
  });

  it('completes a missing key', async () => {
    await getEditor().open('definitions/own/desk.json', 4, 3);
    await getEditor().type('"main');
    await getEditor().acceptCompletion('maintenance', () => picture('completion'));
    await getEditor().save();
    expect(await onDisk('definitions/own/desk.json')).to.match(/^ {2}"maintenance": (true|false),?$/m);
  });

  it('documents a field on hover', async () => {
    const lines = (await onDisk(WALLET)).split('\n');
    const line = lines.findIndex((text) => text.includes('"with_timestamps"'));
    await getEditor().open(WALLET, line + 1, (lines[line] ?? '').indexOf('with_timestamps') + 3);
    const hover = await getEditor().readHover();
    expect(hover).to.contain('with_timestamps');
    await picture('hover');
    await getEditor().pressKeys('Escape');
  });

  it('edits a statement in its own editor, and writes it back', async () => {
    const file = 'definitions/own/shelf.json';
    const lines = (await onDisk(file)).split('\n');
    const line = lines.findIndex((text) => text.includes('_rates'));
    await getEditor().open(file, line + 1, (lines[line] ?? '').indexOf('_rates') + 1);
    await getEditor().actUntilSeen(
      () => getEditor().pressKeys('Alt+Enter'),
      () => getPage().locator('.tab.active[data-resource-name="shelf 1.sql"]').waitFor(),
    );
    await getEditor().pressKeys('Control+End');
    await getEditor().type(' LIMIT 3');
    // Both files are unsaved for a moment.
    await getEditor().actUntilSeen(
      () => getEditor().pressKeys('Control+s'),
      () =>
        waitUntil(async () => (await onDisk(file)).includes('FROM _rates LIMIT 3'), 'the statement in the definition'),
    );
    await waitUntil(async () => (await getPage().locator('.tab.dirty').count()) === 0, 'both files saved');
    await closeEditors();
  });

  it('renames a resource in every file that refers to it', async () => {
    await getEditor().open('definitions/resources/profile.resource.json', 4, 14);
    await getEditor().renameSymbol('profile-show');
    const files = ['profile', 'support', 'connect', 'private', 'ledger', 'mail', 'gallery'];
    for (const name of files) {
      const file = `definitions/resources/${name}.resource.json`;
      // An editor may truncate a file before it writes it.
      await waitUntil(async () => (await onDisk(file)).includes('"profile-show"'), file);
      expect(await onDisk(file)).to.not.contain('profile-read-01');
    }
  });

  it('sends a request to the kernel, and shows its response', async () => {
    await getEditor().open(HEALTH, 3, 5);
    await getEditor().run('Lintel: Send Request', () => getEditor().findWebview('#send'));
    const panel = await getEditor().findWebview('#send');
    await getEditor().actUntilSeen(
      () => panel.locator('#send').click(),
      () =>
        trusted
          ? panel.locator('#status', { hasText: '200' }).waitFor()
          : getEditor().answerDialog('Send requests from a restricted folder?', 'Send'),
    );
    await panel.locator('#status', { hasText: '200' }).waitFor();
    expect(await panel.locator('#body').innerText()).to.match(/"status":\s*"ok"/);
    if (hasPictures)
      await getEditor().run('View: Hide Panel', () => getPage().locator('.part.panel').waitFor({ state: 'hidden' }));
    await picture('request', EDITORS_AND_PANEL);
  });

  if (!trusted)
    it('draws no plan of an invalid resource, and states why', async () => {
      await getEditor().open(WALLET);
      await getEditor().clickCodeLens('Show plan', () => getEditor().findWebview('#problems:has-text("not trusted")'));
      expect(await listStrangeFiles()).to.deep.equal([]);
    });
  else
    it('draws the plan of a resource', async () => {
      const lines = (await onDisk(WALLET)).split('\n');
      const line = lines.findIndex((text) => text.includes('"resource": "wallet/transfer"'));
      if (hasPictures) await closeEditors();
      await getEditor().open(WALLET, line + 1, 5);
      await getEditor().run('Lintel: Show Plan', () => getEditor().findWebview('#diagram svg'));
      const panel = await getEditor().findWebview('#diagram svg');
      const text = await panel.locator('#diagram').innerText();
      expect(text)
        .to.contain('wallet/transfer')
        .and.match(/transaction/i);
      expect(await panel.locator('#diagram [data-key]').count()).to.be.greaterThan(2);
      await picture('plan', EDITORS_AND_PANEL);
    });

  if (!trusted && isDeepRun)
    it('creates a project from an empty window, which is installed and run once its folder is trusted', () =>
      createProjectInEmptyWindow(getEditor()));

  if (trusted)
    it('runs the cases of a test file, and marks them', async () => {
      const call = (status: number): object => ({ request: { resource: 'shelf' }, expect: { status } });
      await project.write('definitions/own/shelf.test.json', {
        id: 'shelves',
        cases: [
          { id: 'is full', steps: [call(200)] },
          { id: 'is gone', steps: [call(410)] },
        ],
      });
      await getEditor().open('definitions/own/shelf.test.json');
      const findMark = (name: string) => getPage().locator(`.testing-run-glyph.codicon-testing-${name}-icon`).first();
      await getEditor().run('Test: Run Tests in Current File', () => findMark('passed').waitFor());
      await findMark('failed').waitFor();
    });

  if (trusted)
    it('stops a request at a breakpoint, shows its values, and continues; stops a case, which passes', async () => {
      // Two processes cannot open one embedded database.
      await kernel?.stop();
      kernel = undefined;
      const file = 'definitions/own/rate.json';
      const lines = (await onDisk(file)).split('\n');
      await debugRequest(getEditor(), {
        file,
        line: lines.findIndex((text) => text.includes('"mode"')) + 1,
        path: '/rate',
        body: { currency: 'EUR' },
        scopes: { Statement: 'SELECT currency', Payload: '"EUR"' },
        async afterResponse() {
          await getPage()
            .locator('.view-lines')
            .filter({ hasText: /200,\s[\d.]+\sms/ })
            .waitFor();
          await runStatement(getEditor(), file, lines.findIndex((text) => text.includes('"query"')) + 1);
          await picture('statement', EDITORS_AND_PANEL);
        },
      });
      const cases = 'definitions/own/rate.test.json';
      const step = { request: { resource: 'rate', body: { currency: 'EUR' } } };
      await project.write(cases, { id: 'rates', cases: [{ id: 'has a rate', steps: [step] }] });
      await debugCases(getEditor(), cases);
    });
}
