/** The API page of `lintel dev`: the current document, and a page in a real browser that sends requests. */
import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.js';
import { hostCli, type Running } from '../support/cli.js';
import { createClient, type Client, type Loose } from '../support/client.js';
import { listDocumentErrors } from '../support/openapi.js';
import { PNG_RED } from '../support/pictures.js';
import {
  copySample,
  defineReturnResource,
  SAMPLE_ENV,
  createTempProject,
  type Files,
  type TempProject,
} from '../support/project.js';
import { serveInProcess, waitUntilReady } from '../support/serve.js';
import { NO_BROWSER, skipTest } from '../support/skip.js';

const MEMORY = { connections: { main: { use: 'pglite', path: 'memory://' } } };

const SECRET = 'whsec-9dKq27LmZt4xVb8RfJ3nWc6yTh';

/** Text of the page for every list of files before it shows a file input for each. */
const LOOKED_UP = 'Could not find component: JsonSchema_string_binary';

interface Tried {
  readonly status: string;
  readonly body: string;
}

describe('lintel dev: the API page', function () {
  let project: TempProject;
  let child: Running;
  let url = '';
  let client: Client;

  async function start(files: Files, prepare?: (folder: string) => Promise<void>): Promise<void> {
    project = await createTempProject({ 'lintel.config.json': MEMORY, ...files });
    await prepare?.(project.folder);
    child = hostCli(['dev'], { cwd: project.folder, env: { PORT: '0', ...SAMPLE_ENV } });
    [, url = ''] = await child.waitForOutput(/ready at (http:\S+)/);
    client = createClient(url);
  }
  afterEach(async () => {
    expect((await child.stop()).code).to.equal(0);
    await project.dispose();
  });
  const pathsNow = async (): Promise<string[]> => {
    const { status, body } = await client.request('GET', '/openapi.json');
    expect(status).to.equal(200);
    return Object.keys(body['paths'] as Loose);
  };

  it('is reported at the start, and follows saved changes', async () => {
    await start({ 'definitions/a.json': defineReturnResource('a', 1) });
    expect(child.output()).to.contain(`try it out: ${url}/docs`);
    expect(await pathsNow()).to.deep.equal(['/a']);
    const from = child.output().length;
    await project.write('definitions/b.json', defineReturnResource('b', { at: '$DATETIME' }));
    await child.waitForOutput(/serving 2 resource/, from);
    expect(await pathsNow()).to.deep.equal(['/a', '/b']);
    const { body } = await client.request('GET', '/openapi.json');
    expect(await listDocumentErrors(body as never)).to.equal('');
  });

  it('is replaced by a resource of the same path, and this is logged', async () => {
    await start({ 'definitions/a.json': defineReturnResource('a', 1) });
    expect((await client.request('GET', '/docs')).status).to.equal(200);
    const from = child.output().length;
    await project.write('definitions/docs.json', defineReturnResource('docs', 'mine'));
    await child.waitForOutput(/\/docs is served by the resource "docs"/, from);
    expect((await client.post<unknown>('/docs', {})).body).to.equal('mine');
    expect((await client.request('GET', '/docs')).status).to.equal(405);
  });

  it('serves no other file of the package', async () => {
    await start({ 'definitions/a.json': defineReturnResource('a', 1) });
    for (const name of [
      'index.html',
      'swagger-ui.css.map',
      '..%2fpackage.json',
      '../package.json',
      'constructor',
      '',
    ]) {
      expect((await client.request('GET', `/docs/${name}`)).status, name).to.be.oneOf(name === '' ? [404] : [404, 405]);
    }
    const raw = await client.raw(
      'GET /docs/../../package.json HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    );
    expect(raw).to.match(/^HTTP\/1\.1 404/);
    expect((await client.post('/docs', {})).status).to.equal(405);
  });

  describe('in a browser', () => {
    let browser: Browser | null = null;
    before(async function () {
      browser = await startBrowser();
      if (browser === null) skipTest(this, NO_BROWSER);
    });
    after(() => browser?.close());

    /** Opens the page and returns the errors of the browser. */
    async function open(): Promise<{ page: Page; complaints: string[] }> {
      if (browser === null) throw new Error('there is no browser');
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type()) && !message.text().includes(LOOKED_UP)) {
          complaints.push(message.text());
        }
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) complaints.push(request.url());
      });
      await page.goto(`${url}/docs`);
      await page.locator('.opblock').first().waitFor();
      return { page, complaints };
    }

    /** Opens an operation, fills in its fields, and sends it. */
    async function sendFromPage(page: Page, id: string, fill?: (block: Locator) => Promise<void>): Promise<Tried> {
      const block = page.locator(`.opblock[id$="-${id}"]`);
      if ((await block.locator('.execute').count()) === 0) await block.locator('.opblock-summary-control').click();
      await fill?.(block);
      await block.locator('.execute').click();
      const live = block.locator('.live-responses-table .response');
      await live.locator('.response-col_status').waitFor();
      return {
        status: (await live.locator('.response-col_status').innerText()).trim(),
        body: await live.locator('.response-col_description .highlight-code').first().innerText(),
      };
    }

    it('accepts files through a chooser, and the secret of a webhook; uploads appear after a reload', async () => {
      const verifications = { HeaderTokenVerifier: { header_key: '$HEADER.x-token', secret_key: '$ENV.HOOK' } };
      await start({
        '.env': `HOOK=${SECRET}\n`,
        'definitions/a.json': defineReturnResource('hook', 'in', { webhook: { verifications } }),
      });
      const from = child.output().length;
      const uploads = { max_file_uploads: 2, allowed_mimetypes: ['image/*'] };
      const payload_validation = [{ field: { title: { type: 'STRING', optional: true } } }];
      const one = { ...uploads, max_file_uploads: 1 };
      await project.write('definitions/b.json', [
        { id: 'gallery', resource: 'gallery', actionables: [{ id: 1, mode: 'UPLOAD', uploads, payload_validation }] },
        { id: 'portrait', resource: 'portrait', actionables: [{ id: 1, mode: 'UPLOAD', uploads: one }] },
      ]);
      await child.waitForOutput(/serving 3 resource/, from);
      const { page, complaints } = await open();
      const file = { name: 'red.png', mimeType: 'image/png', buffer: PNG_RED };
      const portrait = await sendFromPage(page, 'portrait', (block) =>
        block.locator('input[type=file]').setInputFiles(file),
      );
      expect(portrait.status).to.match(/^200/);
      expect(portrait.body).to.contain('red.png').and.contain('#ff0000');
      const gallery = await sendFromPage(page, 'gallery', (block) =>
        block.locator('input[type=file]').setInputFiles(file),
      );
      expect(gallery.status).to.match(/^200/);
      const [, url = ''] = /"url": "([^"]+)"/.exec(gallery.body) ?? [];
      expect((await client.request('GET', url)).status).to.equal(200);
      expect(complaints).to.deep.equal([]);

      const dialog = page.locator('.dialog-ux');
      await page.locator('.auth-wrapper .authorize').first().click();
      await dialog.locator('.auth-container input').fill(SECRET);
      await dialog.locator('.auth-container .authorize').click();
      await dialog.locator('.close-modal').click();
      const hook = await sendFromPage(page, 'hook');
      expect(hook.status).to.match(/^200/);
      expect(complaints).to.deep.equal([]);
      await page.close();
    });

    it('lists every operation, sends a request and a token, and the browser rejects nothing', async () => {
      await start({}, copySample);
      const { page, complaints } = await open();
      expect(await page.locator('.opblock').count()).to.equal((await pathsNow()).length);
      expect(await page.locator('.errors-wrapper, .version-pragma__message').count()).to.equal(0);

      const tried = (id: string): Promise<Tried> => sendFromPage(page, id);
      const signUp = await tried('sign-up-01');
      expect(signUp.status).to.match(/^200/);
      const [, token = ''] = /"token": "([^"]+)"/.exec(signUp.body) ?? [];
      expect(complaints).to.deep.equal([]);

      const dialog = page.locator('.dialog-ux');
      await page.locator('.auth-wrapper .authorize').first().click();
      const scheme = dialog.locator('.auth-container', { hasText: 'JWT' });
      await scheme.locator('input').fill(token);
      await scheme.locator('.authorize').click();
      await dialog.locator('.close-modal').click();
      const profile = await tried('profile-read-01');
      expect(profile.status).to.match(/^200/);
      expect(profile.body).to.contain('"email"');
      expect(complaints).to.deep.equal([]);
      await page.close();
    });
  });
});

describe('lintel serve: the API page', function () {
  const { start } = serveInProcess();

  it('is absent, like the document', async () => {
    const client = await waitUntilReady(await start({ 'definitions/a.json': defineReturnResource('a', 1) }));
    expect((await client.post<unknown>('/a', {})).body).to.equal(1);
    for (const path of ['/docs', '/docs/start.js', '/openapi.json']) {
      expect((await client.request('GET', path)).status, path).to.equal(404);
    }
  });
});
