/**
 * From `lintel init` to a proven endpoint, in a real VS Code: the steps of docs/how-to/proven-endpoint.md, each with its time and
 * the keys and clicks that it takes. With `SCREENSHOTS=1` it writes the pictures of the page; else only a deep run has it.
 */
import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { startBrowser } from '../support/browser.js';
import { hostCli, runCli } from '../support/cli.js';
import { createClient } from '../support/client.js';
import { startEditor, type Editor } from '../support/editor.js';
import { debugRequest } from '../support/editor-debugger.js';
import { hasPictures, savePicture } from '../support/editor-pictures.js';
import { installLintel } from '../support/extension-project.js';
import { createTempProject, ROOT, type TempProject } from '../support/project.js';
import { isDeepRun } from '../support/sample.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';
import { makeVsix } from '../support/vsix.js';

const RESOURCE = 'definitions/resources/notes-rename.resource.json';
const TESTS = 'definitions/tests/notes.test.json';
const PAGE = 'docs/how-to/proven-endpoint.md';

/** The blocks of the page that are typed, by their first line. */
async function readTyped(page: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, page), 'utf8');
  return [...text.matchAll(/```json\n\/\/ typed[^\n]*\n([^]*?)\n```/g)].map(([, block = '']) => block);
}

/** As deep as the cases of a test file. */
const indent = (text: string): string => text.replaceAll(/^/gm, '    ');

interface Step {
  readonly name: string;
  readonly seconds: number;
  readonly keys: number;
}

if (hasPictures || isDeepRun)
  describe('from an idea to a proven endpoint', function () {
    this.bail(true);
    let parent: TempProject;
    let editor: Editor;
    let folder: string;
    let typed: readonly string[];
    const steps: Step[] = [];
    let keys = 0;

    const onDisk = (file: string): Promise<string> => readFile(join(folder, file), 'utf8').catch(() => '');
    const type = async (text: string): Promise<void> => {
      keys += text.length;
      await editor.type(text);
    };
    /** `more`: keys and clicks besides what is typed: of the palette, of a test run. */
    async function measureStep(name: string, more: number, work: () => Promise<unknown>): Promise<void> {
      const begun = performance.now();
      const before = keys;
      await work();
      steps.push({ name, seconds: Math.round((performance.now() - begun) / 100) / 10, keys: keys - before + more });
    }
    const runLintel = async (...words: string[]): Promise<string> => {
      keys += words.join(' ').length + 'npx lintel '.length + 1;
      const { code, stdout, stderr } = await runCli(words, { cwd: folder });
      expect(code, `${stdout}${stderr}`).to.equal(0);
      return stdout;
    };
    /** Of the editor that is shown, as text. */
    const getLines = () => editor.page.locator('.editor-group-container.active .view-lines');
    const findMark = (name: string) => editor.page.locator(`.testing-run-glyph.codicon-testing-${name}-icon`);

    before(async function () {
      this.timeout(240_000);
      typed = await readTyped(PAGE);
      parent = await createTempProject();
      folder = join(parent.folder, 'walk');
      await measureStep('lintel init', 'npx lintel init walk'.length + 1, async () => {
        expect((await runCli(['init', 'walk'], { cwd: parent.folder })).code).to.equal(0);
      });
      await installLintel(folder);
      const started = await startEditor({
        folder,
        vsix: [(await makeVsix()).file],
        // Typed text stays as it is written on the page.
        settings: {
          'editor.autoClosingBrackets': 'never',
          'editor.autoClosingQuotes': 'never',
          'editor.autoIndent': 'none',
          'editor.autoSurround': 'never',
          'editor.quickSuggestions': false,
          'editor.suggestOnTriggerCharacters': false,
          'editor.minimap.enabled': false,
        },
      });
      if ('skip' in started) return skipTest(this, started.skip);
      editor = started;
      await editor.trustWorkspace();
    });
    after(async () => {
      await editor?.close();
      await parent?.dispose();
      const whole = steps.reduce((sum, one) => ({
        ...one,
        seconds: sum.seconds + one.seconds,
        keys: sum.keys + one.keys,
      }));
      for (const { name, seconds, keys: count } of [...steps, { ...whole, name: 'all' }])
        process.stdout.write(`      ${name}: ${seconds.toFixed(1)} s, ${count} keys and clicks\n`);
      if (env['WALK_TIMES'] !== undefined) await writeFile(env['WALK_TIMES'], JSON.stringify(steps, null, 2));
    });

    afterEach(async function () {
      if (this.currentTest?.state === 'failed') await editor?.saveScreenshot(join(tmpdir(), 'walk.png'));
    });

    it('an endpoint is typed, and its test is red', async function () {
      this.timeout(240_000);
      const [resource = '', test = ''] = typed;
      await measureStep('the endpoint is typed', 30, async () => {
        await editor.run('Lintel: New Resource...', () => editor.waitForInput('New resource'));
        await editor.submitInput('New resource', '');
        await editor.submitInput('', 'notes-rename');
        await waitUntil(async () => (await onDisk(RESOURCE)) !== '', 'the file');
        await editor.waitForLanguage('Lintel');
        await editor.actUntilSeen(
          () => editor.pressKeys('Control+a', 'Delete'),
          () => waitUntil(async () => (await getLines().innerText()).trim() === '', 'an empty file'),
        );
        await type(resource);
        await editor.save();
        await editor.waitUntilClean();
      });
      expect(await onDisk(RESOURCE)).to.contain(resource);
      await measureStep('its test is typed, and red', 20, async () => {
        const lines = (await onDisk(TESTS)).split('\n');
        const last = lines.lastIndexOf('    }');
        await editor.open(TESTS, last + 1, 6);
        await type(`,\n${indent(test)}`);
        await editor.save();
        await editor.run('Test: Run Tests in Current File', () => findMark('failed').first().waitFor());
      });
      const red = (await onDisk(TESTS)).split('\n').findIndex((line) => line.includes('changes the text of a note'));
      await editor.open(TESTS, red + 1, 1);
      await findMark('failed').first().waitFor();
      await savePicture(editor, 'walk-red', { x: 350, y: 205, width: 520, height: 190 });
    });

    it('a request is stopped at a breakpoint, which shows the mistake; then the test is green', async function () {
      this.timeout(240_000);
      const lines = (await onDisk(RESOURCE)).split('\n');
      const at = lines.findIndex((line) => line.includes('"parameters"'));
      await measureStep('a request is stopped', 25, () =>
        debugRequest(editor, {
          file: RESOURCE,
          line: lines.findIndex((line) => line.includes('"mode"')) + 1,
          path: '/notes/1/rename',
          body: { text: 'milk' },
          status: 404,
          async prepare(url) {
            const signUp = { email: 'ada@example.com', name: 'Ada', password: 'correct horse' };
            const { body } = await createClient(url).post('/sign-up', signUp);
            return { authorization: `Bearer ${String(body['token'])}` };
          },
          scopes: { Statement: 'UPDATE note', values: '"milk"' },
          whileStopped: () => savePicture(editor, 'debugger', { x: 45, y: 30, width: 620, height: 320 }),
        }),
      );
      await measureStep('it is mended, and green', 15, async () => {
        const fixed = '"parameters": ["text", "note", "$PROTECTED.id"]';
        await editor.open(RESOURCE, at + 1, 1);
        const wrong = lines[at]?.trim() ?? '';
        await editor.actUntilSeen(
          () => editor.pressKeys('End', 'Shift+Home'),
          () => editor.page.locator('.statusbar').getByText(`(${wrong.length} selected)`).waitFor(),
        );
        await type(fixed);
        await editor.save();
        await editor.open(TESTS);
        await editor.run('Test: Run Tests in Current File', () =>
          waitUntil(
            async () => (await findMark('failed').count()) === 0 && (await findMark('passed').count()) > 0,
            'green',
          ),
        );
      });
    });

    it('its mutants are killed', async function () {
      this.timeout(240_000);
      const [, , another = ''] = typed;
      await measureStep('its mutants are killed', 10, async () => {
        const first = await runLintel('test', '--filter', 'text of a note', '--mutants');
        expect(first).to.contain('"notes-rename" without the condition "user_id = $3"');
        const last = (await onDisk(TESTS)).split('\n').lastIndexOf('    }');
        await editor.open(TESTS, last + 1, 6);
        await type(`,\n${indent(another)}`);
        await editor.save();
        const second = await runLintel('test', '--filter', 'text of a note', '--mutants');
        expect(second).not.to.contain('"notes-rename"');
      });
    });

    it('its request is seen in the console, and a client has it', async function () {
      this.timeout(240_000);
      const server = hostCli(['dev'], { cwd: folder, env: { PORT: '0' } });
      const browser = await startBrowser();
      try {
        const [, url = ''] = await server.waitForOutput(/ready at (http:\S+)/);
        const [, shown = ''] = await server.waitForOutput(/console: (http:\S+)/);
        await measureStep('its request is seen in the console', 6, async () => {
          const client = createClient(url);
          const { body } = await client.post('/sign-in', { email: 'ada@example.com', password: 'correct horse' });
          const init = { headers: { authorization: `Bearer ${String(body['token'])}` } };
          const { body: note } = await client.post('/notes/add', { text: 'tea' }, init);
          expect((await client.post(`/notes/${String(note['id'])}/rename`, { text: 'milk' }, init)).status).to.equal(
            200,
          );
          const page = await browser!.newPage({ viewport: { width: 1200, height: 800 } });
          await page.goto(shown);
          await page.locator('a[data-row]', { hasText: 'rename' }).first().click();
          await page.locator('.detail pre', { hasText: 'UPDATE note' }).first().waitFor();
        });
      } finally {
        await browser?.close();
        await server.stop();
      }
      await measureStep('a client is generated', 0, () => runLintel('client', '--out', 'client.ts'));
      expect(await onDisk('client.ts')).to.contain('notesByNoteRename(');
    });
  });
