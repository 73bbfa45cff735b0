/**
 * A real browser: a page of another origin sends requests, with and without permission. Header values are tested
 * elsewhere; this tests that a browser enforces them.
 */
import type { Server } from 'node:http';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { startBrowser, startSite } from '../support/browser.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { NO_BROWSER, skipTest } from '../support/skip.js';

describe('page of another origin in a browser', function () {
  let browser: Browser | null = null;
  let page: Page;
  let site: Server | undefined;
  let origin: string;
  const kernels: TestKernel[] = [];

  before(async function () {
    browser = await startBrowser();
    if (browser === null) return skipTest(this, NO_BROWSER);
    ({ site, origin } = await startSite());
    page = await browser.newPage();
    await page.goto(origin);
  });
  after(async () => {
    await browser?.close();
    site?.close();
    await Promise.all(kernels.map((kernel) => kernel.close()));
  });

  const start = async (origins: readonly string[]): Promise<string> => {
    const files = { 'definitions/a.json': defineReturnResource('echo', '$PAYLOAD') };
    const env = origins.length === 0 ? {} : { ALLOWED_ORIGINS: origins.join('|') };
    const kernel = await startKernel({ files, env });
    kernels.push(kernel);
    return kernel.url;
  };
  /** Runs in the page: what its script can read. */
  const call = (url: string, body: string) =>
    page.evaluate(
      async ([target, text]) => {
        const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };
        try {
          const answer = await fetch(target, { method: 'POST', headers, body: text });
          return { status: answer.status, id: answer.headers.get('x-request-id'), text: await answer.text() };
        } catch (error) {
          return { refused: error instanceof TypeError };
        }
      },
      [`${url}/echo`, body] as const,
    );

  it('gets no response without permission', async () => {
    expect(await call(await start([]), '{"a":1}')).to.deep.equal({ refused: true });
    expect(await call(await start(['https://app.example.com']), '{"a":1}')).to.deep.equal({ refused: true });
  });

  it('gets the response with permission, and can read the id of the request', async () => {
    for (const origins of [[origin], ['https://app.example.com', origin], ['*']]) {
      const seen = await call(await start(origins), '{"a":1}');
      expect(seen, origins.join()).to.include({ status: 200, text: '{"a":1}' });
      expect(seen)
        .to.have.property('id')
        .that.matches(/^[0-9a-f-]{36}$/);
    }
  });

  it('can read errors, too', async () => {
    const seen = await call(await start([origin]), '{"broken');
    expect(seen).to.include({ status: 400 });
    expect(JSON.parse((seen as { text: string }).text)).to.include({ code: 'REQ_MALFORMED' });
  });

  it('cannot show a response as a page, a frame or a script', async () => {
    const url = await start([origin]);
    const target = JSON.stringify(`${url}/status`);
    // As text: code for the page would be compiled for Node otherwise.
    const frame = await page.evaluate<string>(`new Promise((resolve) => {
      const element = document.createElement('iframe');
      element.src = ${target};
      element.onload = element.onerror = () => {
        try {
          resolve(element.contentDocument?.body.textContent ?? 'hidden');
        } catch {
          resolve('hidden');
        }
      };
      document.body.append(element);
    })`);
    expect(frame).not.to.contain('ready');
    const script = await page.evaluate<string>(`new Promise((resolve) => {
      const element = document.createElement('script');
      element.src = ${target};
      element.onload = () => resolve('ran');
      element.onerror = () => resolve('refused');
      document.body.append(element);
    })`);
    expect(script).to.equal('refused');
  });
});
