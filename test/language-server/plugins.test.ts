/**
 * Plugins of a workspace in the editor: a verifier of another author gets completion and diagnostics from its manifest,
 * or, in a trusted workspace, from its specs in another process. Its code never runs in the server.
 */
import { expect } from 'chai';
import { cp, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSpecDigest } from '../../language/project/spec-digest.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { ROOT } from '../support/project.js';

const FILE = 'definitions/hook.resource.json';
const CONFIG = JSON.stringify({ plugins: ['builtin:*', './my-plugins/slack'] });
const hook = (verifier: string): string =>
  `{ "id": "hook", "resource": "hook", "webhook": { "verifications": {${verifier}} }, "actionables": [] }`;

/** Written as its author would; records each run with the process that ran it. */
const SPEC = `
import { writeFileSync } from 'node:fs';
import { definePlugin, shape, text } from 'lintel';
writeFileSync(new URL('./ran.txt', import.meta.url), String(process.pid));
export default definePlugin({
  kind: 'verifier', name: 'SlackVerifier', since: '1.0.0',
  summary: 'Checks the signature that Slack sends.',
  facts: { needsRaw: true, needsRemote: false },
  schema: shape({ signing_secret: text({ doc: 'The signing secret of the app.', secret: true, examples: ['$ENV.SLACK'] }).required() }),
  examples: [{ title: 'A secret', json: { signing_secret: '$ENV.SLACK' } }],
  counterExamples: [{ title: 'None', json: {}, code: 'DEF_REQUIRED', at: '' }],
});
`;

const files = {
  'lintel.config.json': CONFIG,
  'my-plugins/slack/spec.mjs': SPEC,
  '.env': 'SLACK=abcdefghijklmnopqrstuvwxyz012345\n',
};

/** The package, as `npm install` would have put it there. */
async function installed(editor: { readonly folder: string }): Promise<void> {
  await mkdir(join(editor.folder, 'node_modules'), { recursive: true });
  await symlink(ROOT, join(editor.folder, 'node_modules', 'lintel'));
}
const ran = (editor: Editor): Promise<string | null> =>
  readFile(join(editor.folder, 'my-plugins/slack/ran.txt'), 'utf8').catch(() => null);

describe('language server: plugins of a workspace', () => {
  const editors: Editor[] = [];
  const open = async (trusted: boolean, given: Readonly<Record<string, string>> = files): Promise<Editor> => {
    const editor = await openEditor({ files: given, trusted, before: installed });
    editors.push(editor);
    return editor;
  };
  after(() => Promise.all(editors.map((editor) => editor.close())));

  it('trusted: a verifier without a manifest is completed and checked, and its code runs in another process', async () => {
    const editor = await open(true);
    const { labels, accept } = await editor.requestCompletion(FILE, hook('‸'));
    expect(labels).to.include('SlackVerifier');
    expect(accept('SlackVerifier')).to.contain('"SlackVerifier": {');
    editor.changeDocument(FILE, hook('"SlackVerifier": {"signing_secre": "$ENV.SLACK"}'));
    const codes = (await editor.diagnostics(FILE)).map(({ code }) => code);
    expect(codes).to.include.members(['DEF_UNKNOWN_KEY', 'DEF_REQUIRED']);
    const pid = await ran(editor);
    expect(pid, 'its specs ran').not.to.equal(null);
    expect(Number(pid)).not.to.equal(process.pid);
  });

  it('of an installed package that the config names: the same, from its manifest too', async () => {
    const shop = 'node_modules/@shop/verifiers';
    const packaged = {
      'lintel.config.json': CONFIG.replace('./my-plugins/slack', '@shop/verifiers'),
      [`${shop}/package.json`]: JSON.stringify({ name: '@shop/verifiers', version: '1.0.0', type: 'module' }),
      [`${shop}/slack/spec.mjs`]: SPEC,
      '.env': files['.env'],
    };
    const editor = await open(true, packaged);
    const complete = async (of: Editor): Promise<void> => {
      expect((await of.requestCompletion(FILE, hook('‸'))).labels).to.include('SlackVerifier');
      of.changeDocument(FILE, hook('"SlackVerifier": {}'));
      expect((await of.diagnostics(FILE)).map(({ code }) => code)).to.include('DEF_REQUIRED');
    };
    await complete(editor);
    const manifest = await createManifest(editor, shop);
    const untrusted = await open(false, { ...packaged, [`${shop}/plugin.manifest.json`]: manifest });
    await complete(untrusted);
    expect(await readFile(join(untrusted.folder, `${shop}/slack/ran.txt`), 'utf8').catch(() => null)).to.equal(null);
  });

  it('not trusted and without a manifest: nothing runs, the config says so, and no false error is reported', async () => {
    const editor = await open(false);
    editor.open(FILE, hook('"SlackVerifier": {"signing_secret": "$ENV.SLACK"}'));
    expect(await editor.diagnostics(FILE)).to.deep.equal([]);
    const { ranges } = editor.open(
      'lintel.config.json',
      CONFIG.replace('"./my-plugins/slack"', '«1:"./my-plugins/slack"»'),
    );
    const [note, ...others] = await editor.diagnostics('lintel.config.json');
    expect(others).to.deep.equal([]);
    expect(note).to.deep.include({ code: 'PLG_UNREAD', severity: 3, range: ranges.get('1') });
    expect(note?.message).to.contain('lintel manifest ./my-plugins/slack');
    expect(await ran(editor)).to.equal(null);
  });

  it('not trusted, with a manifest: the same help, and still nothing runs', async () => {
    const made = await open(true);
    const { labels } = await made.requestCompletion(FILE, hook('‸'));
    expect(labels).to.include('SlackVerifier');
    const manifest = await createManifest(made);
    const editor = await open(false, { ...files, 'my-plugins/slack/plugin.manifest.json': manifest });
    const answer = await editor.requestCompletion(FILE, hook('"SlackVerifier": {‸}'));
    expect(answer.labels).to.include('signing_secret');
    editor.changeDocument(FILE, hook('"SlackVerifier": {}'));
    expect((await editor.diagnostics(FILE)).map(({ code }) => code)).to.include('DEF_REQUIRED');
    expect(await ran(editor)).to.equal(null);
  });

  it('reads a manifest that is created while the editor is open', async () => {
    const manifest = await createManifest(editors[0] as Editor);
    const editor = await open(false);
    editor.open(FILE, hook('"SlackVerifier": {}'));
    expect(await editor.diagnostics(FILE)).to.deep.equal([]);
    await editor.write({ 'my-plugins/slack/plugin.manifest.json': manifest });
    const reported = await editor.waitForDiagnostics(FILE, (all) => all.length > 0);
    expect(reported.map(({ code }) => code)).to.deep.equal(['DEF_REQUIRED']);
  });

  it('reads the specs once the workspace is trusted', async () => {
    const editor = await open(false);
    editor.open(FILE, hook('"SlackVerifier": {}'));
    expect(await editor.diagnostics(FILE)).to.deep.equal([]);
    await editor.client.sendNotification('lintel/trust', { trusted: true });
    const reported = await editor.waitForDiagnostics(FILE, (all) => all.length > 0);
    expect(reported.map(({ code }) => code)).to.deep.equal(['DEF_REQUIRED']);
  });

  it('reports an outdated manifest where no code may run, by content and not by file times', async () => {
    const manifest = await createManifest(editors[0] as Editor);
    const editor = await open(false, { ...files, 'my-plugins/slack/plugin.manifest.json': manifest });
    const past = new Date(Date.now() - 60_000);
    await utimes(join(editor.folder, 'my-plugins/slack/plugin.manifest.json'), past, past);
    await editor.write({ 'my-plugins/slack/spec.mjs': SPEC.replaceAll('\n', '\r\n') });
    editor.open('lintel.config.json', CONFIG);
    expect(await editor.diagnostics('lintel.config.json')).to.deep.equal([]);
    await editor.write({ 'my-plugins/slack/spec.mjs': `${SPEC}// changed` });
    const [note] = await editor.waitForDiagnostics('lintel.config.json', (all) => all.length > 0);
    expect(note?.message).to.contain('written from other specs');
  });

  for (const [what, spec, words] of [
    ['that throw', 'throw new Error("no")', 'no'],
    ['that never end', 'await new Promise((done) => setTimeout(done, 60000))', 'no answer in'],
    ['that print something else', 'console.log("hello"); export default { kind: "verifier" }', ''],
  ] as const) {
    it(`specs ${what} cost a note, and no help with anything else`, async function () {
      const editor = await open(true, { ...files, 'my-plugins/slack/spec.mjs': spec });
      editor.open('lintel.config.json', CONFIG);
      const [note] = await editor.waitForDiagnostics('lintel.config.json', (all) => all.length > 0);
      expect(note).to.deep.include({ code: 'PLG_UNREAD' });
      expect(note?.message).to.contain(words);
      const { labels } = await editor.requestCompletion(FILE, '{ ‸ }');
      expect(labels).to.include('resource');
    });
  }

  for (const [what, manifest] of [
    ['is no JSON', 'nonsense'],
    ['is too large', ' '.repeat(2_000_001)],
    ['leads outside', '{"format":1,"lintel":">=0","kinds":[],"plugins":[{"runtime":"../x.js"}]}'],
  ] as const) {
    it(`a manifest that ${what} is rejected with words`, async () => {
      const editor = await open(false, { ...files, 'my-plugins/slack/plugin.manifest.json': manifest });
      editor.open('lintel.config.json', CONFIG);
      const [note] = await editor.waitForDiagnostics('lintel.config.json', (all) => all.length > 0);
      expect(note).to.deep.include({ code: 'PLG_UNREAD' });
    });
  }

  it('reads a folder outside the project only in a trusted workspace', async () => {
    const outside = await open(true);
    const folder = join(outside.folder, 'my-plugins/slack');
    const manifest = await createManifest(editors[0] as Editor);
    await writeFile(join(folder, 'plugin.manifest.json'), manifest);
    const config = JSON.stringify({ plugins: ['builtin:*', folder] });
    const wary = await open(false, { ...files, 'lintel.config.json': config });
    wary.open('lintel.config.json', config);
    const [note] = await wary.waitForDiagnostics('lintel.config.json', (all) => all.length > 0);
    expect(note?.message).to.contain('outside the project');
  });

  it('completes the fields and plugins of a kind of the workspace', async () => {
    const editor = await openEditor({
      trusted: true,
      files: { 'lintel.config.json': JSON.stringify({ plugins: ['builtin:*', './limits'] }) },
      before: async (one) => {
        await installed(one);
        await cp(join(ROOT, 'test/fixtures/plugins/limits'), join(one.folder, 'limits'), { recursive: true });
        await writeFile(join(one.folder, 'package.json'), '{"type": "module"}');
      },
    });
    editors.push(editor);
    const { labels } = await editor.requestCompletion(FILE, '{ "id": "a", "resource": "a", ‸ }');
    expect(labels).to.include('quota');
  });

  /** What its author would commit. */
  async function createManifest(editor: Editor, place = 'my-plugins/slack'): Promise<string> {
    const { readFolder } = await import('../../language/project/plugin-folders.js');
    const { createManifest: made, formatManifest } = await import('../../language/export/manifest.js');
    const { buildRegistry } = await import('../../language/analysis/build-registry.js');
    const { kinds } = await import('../../plugins/index.kinds.js');
    const { specs: builtin } = await import('../../plugins/index.spec.js');
    const { specs } = await readFolder(join(editor.folder, place));
    await rm(join(editor.folder, 'my-plugins/slack/ran.txt'), { force: true });
    const registry = buildRegistry(kinds, [...builtin, ...specs]);
    const digest = await createSpecDigest(join(editor.folder, place));
    return formatManifest(made({ registry, version: '0.5.0', kinds: [], specs, digest, runtime: () => null }));
  }
});
