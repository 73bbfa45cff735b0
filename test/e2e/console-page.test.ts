/** The page of the console in a browser: what is recorded is text, keys move, requests are sent again, and nothing is inline. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.js';
import { startWithConsole, WORK_FILES, type ShownKernel } from '../support/console.js';
import { NO_BROWSER, skipTest } from '../support/skip.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PAYLOAD = '<img src=x onerror="window.ran = true"><script>window.ran = true</script>';

describe('the page of the console', function () {
  let shown: ShownKernel;
  let browser: Browser | null = null;
  let context: BrowserContext;
  let page: Page;
  const errors: string[] = [];

  before(async function () {
    browser = await startBrowser();
    if (browser === null) return skipTest(this, NO_BROWSER);
    shown = await startWithConsole({ files: WORK_FILES, config: { websocket: { enabled: true } } });
    context = await browser.newContext();
    page = await context.newPage();
    await page.addInitScript(AXE);
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
  });
  after(async () => {
    await browser?.close();
    await shown?.close();
  });

  const waitForText = (selector: string, text: string): Promise<void> =>
    page.locator(selector, { hasText: text }).first().waitFor();

  it('requests the token, and opens with it', async () => {
    await page.goto(`${shown.url}/console`);
    await page.getByLabel('Token').fill('another');
    await page.getByRole('button', { name: 'Open' }).click();
    await waitForText('#status', 'The token is another one.');
    await page.getByLabel('Token').fill(shown.token);
    await page.getByRole('button', { name: 'Open' }).click();
    await waitForText('caption', 'Requests: 0');
    // Browsers report the calls that were refused.
    expect(errors.splice(0).every((text) => text.includes('401'))).to.equal(true);
  });

  it('shows requests as they happen, as text', async () => {
    await shown.post('/notes/add?q=<img src=x onerror=alert(1)>'.replaceAll(' ', '%20'), { text: PAYLOAD });
    await waitForText('caption', 'Requests: 1');
    await page.locator('a[data-row]').first().click();
    await waitForText('.detail pre', 'INSERT INTO notes');
    await waitForText('.detail pre', 'onerror');
    expect(await page.locator('.detail img, .detail script, .list img').count()).to.equal(0);
    expect(await page.evaluate('window.ran')).to.equal(undefined);
  });

  it('sends a request again with a key press, and filters failed ones', async () => {
    await shown.post('/notes/add', { text: '' });
    await waitForText('caption', 'Requests: 2');
    await page.getByLabel('only failures').check();
    await waitForText('caption', 'Requests: 1');
    await page.locator('a[data-row]').first().click();
    await waitForText('.problem', 'VAL_PAYLOAD');
    const link = await page.locator('.problem a.place').getAttribute('href');
    expect(link).to.match(/^vscode:\/\/file\/.*note-add\.json:\d+:\d+$/);
    await page.keyboard.press('r');
    await waitForText('#status', 'Sent again: 422');
    await waitForText('caption', 'Requests: 2');
    await page.keyboard.press('/');
    await page.keyboard.type('nothing-like-this');
    await waitForText('caption', 'Requests: 0');
    await page.keyboard.press('Escape');
    errors.length = 0;
  });

  it('shows the other panes, a plan and rows', async () => {
    await page.getByRole('link', { name: 'Definitions', exact: true }).click();
    await page.getByRole('link', { name: 'note-add', exact: true }).click();
    await waitForText('.box pre', 'INSERT INTO notes');
    await page.getByRole('link', { name: 'Data', exact: true }).click();
    await page.getByRole('link', { name: 'notes', exact: true }).click();
    await waitForText('td', 'onerror');
    await page.getByRole('button', { name: 'text', exact: true }).click();
    await page.locator('th[aria-sort="ascending"]').waitFor();
    await page
      .getByRole('button', { name: /^Change id/ })
      .first()
      .click();
    await page.getByLabel('text text', { exact: true }).fill('changed by hand');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await waitForText('td', 'changed by hand');
    for (const name of ['Jobs', 'Schedules', 'Metrics']) {
      await page.getByRole('link', { name, exact: true }).click();
      await waitForText('h2', name);
    }
    await waitForText('td', 'note-add');
    expect(await page.evaluate('window.ran')).to.equal(undefined);
    expect(errors).to.deep.equal([]);
  });

  /** Ids of the rules that the page violates, with the elements. */
  const findViolations = (...rules: readonly string[]): Promise<readonly string[]> =>
    page.evaluate(async (only) => {
      const axe = Reflect.get(globalThis, 'axe') as {
        run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
      const { violations } = await axe.run(only.length === 0 ? {} : { runOnly: only });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    }, rules);

  it('is accessible in every pane, light and dark', async () => {
    await shown.post('/job', { id: 'j1', text: 'by job' });
    await shown.post('/notes/divide', { by: 0 });
    const titles = await page.locator('#panes a').allTextContents();
    expect(titles).to.include.members(['Requests', 'Data', 'Cache', 'Files', 'Connections', 'Outbound calls']);
    const table = ['#/data/notes', '#/definitions/note-add'];
    const found: string[] = [];
    for (const place of [...titles, ...table]) {
      if (place.startsWith('#')) await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
      else await page.getByRole('link', { name: place, exact: true }).click();
      await waitForText(place === 'Requests' ? 'caption' : 'h2', place.split('/').at(-1) ?? place);
      if (place === 'Requests') await page.getByRole('link', { name: 'POST /notes/add' }).last().click();
      if (place === 'Requests') await waitForText('.detail h3', 'Response');
      if (place === '#/data/notes') await page.getByRole('button', { name: 'New row' }).click();
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        const rules = scheme === 'light' ? [] : ['color-contrast'];
        found.push(...(await findViolations(...rules)).map((text) => `${place} ${scheme} ${text}`));
      }
    }
    expect(found).to.deep.equal([]);
  });

  it('is used with the keyboard only', async () => {
    await page.goto(`${shown.url}/console`);
    await page.locator('a[data-row]').first().waitFor();
    const describeFocus = (): Promise<string> =>
      page.evaluate('`${document.activeElement.tagName} ${document.activeElement.textContent.trim()}`');
    await page.keyboard.press('Tab');
    expect(await describeFocus()).to.equal('A Skip to content');
    await page.keyboard.press('Enter');
    expect(await describeFocus()).to.match(/^MAIN /);
    await page.keyboard.press('j');
    await page.locator('tr.selected').waitFor();
    await waitForText('.detail h3', 'Payload');
    const first = page.url();
    await page.keyboard.press('j');
    expect(page.url()).not.to.equal(first);
    for (let presses = 0; (await describeFocus()) !== 'A Definitions'; presses++) {
      expect(presses).to.be.lessThan(40);
      await page.keyboard.press('Shift+Tab');
    }
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).to.equal('solid');
    await page.keyboard.press('Enter');
    await waitForText('h2', 'Definitions');
    await page.keyboard.press('j');
    await waitForText('.box', 'RETURN');
    expect(errors).to.deep.equal([]);
  });
});
