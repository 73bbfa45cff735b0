/** What `lintel dev` shows of the interface: the document as it is now, and a page in a real browser that tries it out. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.js';
import { startCli, type Child } from '../support/child.js';
import { createClient, type Client, type Loose } from '../support/client.js';
import { documentFlaws } from '../support/openapi.js';
import { copySample, returning, SAMPLE_ENV, tempProject, type Files, type TempProject } from '../support/project.js';
import { ready, serving } from '../support/serve.js';

const MEMORY = { connections: { main: { use: 'pglite', path: 'memory://' } } };

describe('lintel dev: the interface', function () {
  this.timeout(90_000);
  let project: TempProject;
  let child: Child;
  let url = '';
  let client: Client;

  async function start(files: Files, prepare?: (folder: string) => Promise<void>): Promise<void> {
    project = await tempProject({ 'lintel.config.json': MEMORY, ...files });
    await prepare?.(project.folder);
    child = startCli(['dev'], { cwd: project.folder, env: { PORT: '0', ...SAMPLE_ENV } });
    [, url = ''] = await child.printed(/ready at (http:\S+)/);
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

  it('is told at the start, and follows what is saved', async () => {
    await start({ 'definitions/a.json': returning('a', 1) });
    expect(child.output()).to.contain(`try it out: ${url}/docs`);
    expect(await pathsNow()).to.deep.equal(['/a']);
    const from = child.output().length;
    await project.write('definitions/b.json', returning('b', { at: '$DATETIME' }));
    await child.printed(/serving 2 resource/, from);
    expect(await pathsNow()).to.deep.equal(['/a', '/b']);
    const { body } = await client.request('GET', '/openapi.json');
    expect(await documentFlaws(body as never)).to.equal('');
  });

  it('steps back for a resource of the same path, and says so', async () => {
    await start({ 'definitions/a.json': returning('a', 1) });
    expect((await client.request('GET', '/docs')).status).to.equal(200);
    const from = child.output().length;
    await project.write('definitions/docs.json', returning('docs', 'mine'));
    await child.printed(/\/docs is answered by the resource "docs"/, from);
    expect((await client.post<unknown>('/docs', {})).body).to.equal('mine');
    expect((await client.request('GET', '/docs')).status).to.equal(405);
  });

  it('gives no other file of the package', async () => {
    await start({ 'definitions/a.json': returning('a', 1) });
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
    const raw = await client.raw('GET /docs/../../package.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(raw).to.match(/^HTTP\/1\.1 404/);
    expect((await client.post('/docs', {})).status).to.equal(405);
  });

  describe('in a browser', () => {
    let browser: Browser | null = null;
    before(async function () {
      browser = await startBrowser();
      if (browser === null) this.skip();
    });
    after(() => browser?.close());

    /** Opens the page and gives what the browser complains about. */
    async function open(): Promise<{ page: Page; complaints: string[] }> {
      if (browser === null) throw new Error('there is no browser');
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) complaints.push(request.url());
      });
      await page.goto(`${url}/docs`);
      await page.locator('.opblock').first().waitFor();
      return { page, complaints };
    }

    it('lists every operation, sends a request and a token, and nothing is refused by the browser', async () => {
      await start({}, copySample);
      const { page, complaints } = await open();
      expect(await page.locator('.opblock').count()).to.equal((await pathsNow()).length);
      expect(await page.locator('.errors-wrapper, .version-pragma__message').count()).to.equal(0);

      const tried = async (id: string): Promise<{ status: string; body: string }> => {
        const block = page.locator(`.opblock[id$="-${id}"]`);
        if ((await block.locator('.execute').count()) === 0) await block.locator('.opblock-summary-control').click();
        await block.locator('.execute').click();
        const live = block.locator('.live-responses-table .response');
        await live.locator('.response-col_status').waitFor();
        return {
          status: (await live.locator('.response-col_status').innerText()).trim(),
          body: await live.locator('.response-col_description .highlight-code').first().innerText(),
        };
      };
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

describe('lintel serve: the interface', function () {
  this.timeout(60_000);
  const { start } = serving();

  it('has neither document nor page', async () => {
    const client = await ready(await start({ 'definitions/a.json': returning('a', 1) }));
    expect((await client.post<unknown>('/a', {})).body).to.equal(1);
    for (const path of ['/docs', '/docs/start.js', '/openapi.json']) {
      expect((await client.request('GET', path)).status, path).to.equal(404);
    }
  });
});
