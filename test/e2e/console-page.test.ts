/** The page of the console in a browser: what is recorded is text, keys move, requests are sent again, and nothing is inline. */
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.js';
import { startWithConsole, type ShownKernel } from '../support/console.js';
import { NO_BROWSER, skipTest } from '../support/skip.js';

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
    shown = await startWithConsole();
    context = await browser.newContext();
    page = await context.newPage();
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
    await page.getByRole('button', { name: 'text text' }).click();
    await page.locator('th[aria-sort="ascending"]').waitFor();
    for (const name of ['Jobs', 'Schedules', 'Metrics']) {
      await page.getByRole('link', { name, exact: true }).click();
      await waitForText('h2', name);
    }
    await waitForText('td', 'note-add');
    expect(await page.evaluate('window.ran')).to.equal(undefined);
    expect(errors).to.deep.equal([]);
  });
});
