/**
 * The extension in a real VS Code, driven as a person drives it: the .vsix as `npm run package` makes it, on the sample, with a
 * kernel that serves the same folder. One editor for the whole suite. `SCREENSHOTS=1` writes the pictures of the README.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { hostCli, runCli, type Running } from '../support/cli.js';
import { startEditor, type Editor } from '../support/editor.js';
import { copySample, querying, ROOT, SAMPLE_ENV, tempProject, type TempProject } from '../support/project.js';
import { until } from '../support/until.js';
import { makeVsix } from '../support/vsix.js';
import { skipTest } from '../support/skip.js';
import { findEditor } from '../support/vscode.js';

const HEALTH = 'definitions/resources/health.resource.json';
const WALLET = 'definitions/resources/wallet.resource.json';
/** Two files that speak of one resource, and one to make mistakes in. */
const OWN = {
  'lintel.config.json': { definitions: ['definitions/**/*.json'] },
  'definitions/own/shelf.json': querying('shelf', 'SELECT currency FROM _rates', [], { result: 'many' }),
  'definitions/own/visit.json': {
    id: 'visit',
    resource: 'visit',
    actionables: [{ id: 1, mode: 'RETURN', value: 'here', depends_on: [{ resource_id: 'shelf', action_ids: [1] }] }],
  },
  'definitions/own/desk.json': '{\n  "id": "desk",\n  "resource": "desk",\n  \n  "actionables": []\n}\n',
};

/** The project's own command line, where `npm install` would have put it. */
async function installLintel(folder: string): Promise<void> {
  const bin = join(folder, 'node_modules', '.bin');
  await mkdir(bin, { recursive: true });
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'dist/kernel/cli.js')}' "$@"\n`;
  await writeFile(join(bin, 'lintel'), script, { mode: 0o755 });
}

describe('the extension, in a real VS Code', function () {
  this.timeout(240_000);
  let project!: TempProject;
  let scratch!: TempProject;
  let kernel: Running | undefined;
  let editor: Editor | undefined;
  const shown = (): Editor => editor!;
  /** Empty while there is none. */
  const onDisk = (file: string): Promise<string> => readFile(join(project.folder, file), 'utf8').catch(() => '');
  const picture = async (name: string): Promise<void> => {
    if (process.env['SCREENSHOTS'] !== '1') return;
    await mkdir(join(ROOT, 'docs', 'images'), { recursive: true });
    await shown().screenshot(join(ROOT, 'docs', 'images', `${name}.png`));
  };

  before(async function () {
    const found = findEditor();
    if ('skip' in found) return skipTest(this, found.skip);
    const variables = Object.entries(SAMPLE_ENV).map(([name, value]) => `${name}=${value}\n`);
    [project, scratch] = await Promise.all([tempProject({ ...OWN, '.env': variables.join('') }), tempProject()]);
    await Promise.all([copySample(project.folder), installLintel(project.folder)]);
    kernel = hostCli(['serve'], { cwd: project.folder, env: { ...SAMPLE_ENV, PORT: '0' } });
    const [[, url = ''], vsix] = await Promise.all([kernel.printed(/ready at (http:\S+)/), makeVsix(scratch.folder)]);
    const settings = { 'lintel.request.baseUrl': url };
    const started = await startEditor({ folder: project.folder, vsix: [vsix], settings });
    if ('skip' in started) return skipTest(this, started.skip);
    editor = started;
  });
  after(async () => {
    await Promise.all([editor?.close(), kernel?.stop()]);
    await Promise.all([project?.dispose(), scratch?.dispose()]);
  });

  it('knows a definition by the config, and colours the SQL in its strings', async () => {
    await shown().open('definitions/own/shelf.json');
    await shown().language('Lintel');
    // Colours come when the grammar has been read, and a line is drawn anew with them.
    const colours = (): Promise<string[]> =>
      Promise.all(['SELECT', '"query"', '"shelf"'].map((token) => shown().colourOf(token)));
    await until(async () => {
      const [select = '', ...others] = await colours();
      return select !== '' && others.every((other) => other !== '' && other !== select);
    }, 'SQL in a colour of its own');
  });

  it('writes a resource of the gallery, which is sound', async () => {
    await shown().run('Lintel: New Resource...');
    await shown().answer('New resource', '');
    await shown().answer('', 'fresh');
    await until(
      async () => (await onDisk('definitions/resources/fresh.resource.json')).includes('"fresh"'),
      'the file',
    );
    await shown().language('Lintel');
    const { code, stdout } = await runCli(['check'], { cwd: project.folder, env: SAMPLE_ENV });
    expect([code, stdout]).to.deep.equal([0, stdout]);
  });

  it('underlines a mistake while it is typed, and says what is wrong', async () => {
    await shown().open('definitions/own/desk.json', 4, 3);
    await shown().type('"actionabels": [],');
    await shown().squiggle();
    const problems = await shown().problems('actionabels');
    expect(problems).to.contain('DEF_UNKNOWN_KEY').and.contain('lintel');
    await picture('problems');
    await shown().undo();
    await shown().sound();
  });

  it('completes a key that is missing', async () => {
    await shown().open('definitions/own/desk.json', 4, 3);
    await shown().type('"main');
    await shown().complete('maintenance', () => picture('completion'));
    await shown().save();
    expect(await onDisk('definitions/own/desk.json')).to.match(/^ {2}"maintenance": (true|false),?$/m);
  });

  it('explains a field', async () => {
    const lines = (await onDisk(WALLET)).split('\n');
    const line = lines.findIndex((text) => text.includes('"with_timestamps"'));
    await shown().open(WALLET, line + 1, (lines[line] ?? '').indexOf('with_timestamps') + 3);
    const hover = await shown().hover();
    expect(hover).to.contain('with_timestamps');
    await picture('hover');
    await shown().press('Escape');
  });

  it('renames a resource in every file that speaks of it', async () => {
    await shown().open('definitions/resources/profile.resource.json', 4, 14);
    await shown().rename('profile-show');
    const files = ['profile', 'support', 'connect', 'private', 'ledger', 'mail', 'gallery'];
    for (const name of files) {
      const file = `definitions/resources/${name}.resource.json`;
      // An editor may truncate a file before it writes it.
      await until(async () => (await onDisk(file)).includes('"profile-show"'), file);
      expect(await onDisk(file)).to.not.contain('profile-read-01');
    }
  });

  it('sends a request to the kernel, and shows its answer', async () => {
    await shown().open(HEALTH, 3, 5);
    await shown().run('Lintel: Send Request');
    const panel = await shown().webview('#send');
    await panel.locator('#send').click();
    await panel.locator('#status', { hasText: '200' }).waitFor();
    expect(await panel.locator('#body').innerText()).to.match(/"status":\s*"ok"/);
    await picture('request');
  });

  it('draws the plan of a resource', async () => {
    const lines = (await onDisk(WALLET)).split('\n');
    const line = lines.findIndex((text) => text.includes('"resource": "wallet/transfer"'));
    await shown().open(WALLET, line + 1, 5);
    await shown().run('Lintel: Show Plan');
    const panel = await shown().webview('#diagram svg');
    const text = await panel.locator('#diagram').innerText();
    expect(text)
      .to.contain('wallet/transfer')
      .and.match(/transaction/i);
    expect(await panel.locator('#diagram [data-key]').count()).to.be.greaterThan(2);
    await picture('plan');
  });
});
