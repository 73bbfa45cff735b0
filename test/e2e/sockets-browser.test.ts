/**
 * A real browser connects from a page: with a token in the sub-protocols, with the reason of a rejection, and from
 * another origin.
 */
import type { Server } from 'node:http';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { startBrowser, startSite } from '../support/browser.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { signJwt, KEY } from '../support/tokens.js';
import { NO_BROWSER, skipTest } from '../support/skip.js';

const FILES = {
  'definitions/a.json': {
    ...defineReturnResource('me', { id: '$PROTECTED.id' }),
    tokenize: { type: 'JWT', encryption_key: '$ENV.KEY' },
    protected: { extract_claims: ['id'] },
  },
};

/** Events of the page, in order. */
interface PageLog {
  readonly opened: string | null;
  readonly frames: readonly Readonly<Record<string, unknown>>[];
  readonly closed: number;
}

describe('page with a connection', function () {
  let browser: Browser | null = null;
  let page: Page;
  let site: Server | undefined;
  let origin: string;
  let kernel: TestKernel;
  before(async function () {
    browser = await startBrowser();
    if (browser === null) return skipTest(this, NO_BROWSER);
    ({ site, origin } = await startSite());
    const env = { KEY, ALLOWED_ORIGINS: origin };
    kernel = await startKernel({ files: FILES, config: { websocket: { enabled: true } }, env });
    page = await browser.newPage();
    await page.goto(origin);
  });
  after(async () => {
    await browser?.close();
    site?.close();
    await kernel?.close();
  });

  /**
   * Runs in the page: sends once, closes after the response. As text, because code for the page would be compiled for
   * Node otherwise.
   */
  const visit = (url: string, protocols: readonly string[]): Promise<PageLog> =>
    page.evaluate<PageLog>(`new Promise((resolve) => {
      const seen = { opened: null, frames: [], closed: 0 };
      const socket = new WebSocket(${JSON.stringify(url)}, ${JSON.stringify(protocols)});
      socket.onopen = () => {
        seen.opened = socket.protocol;
        socket.send(JSON.stringify({ resource: 'me', action: 'who', payload: {} }));
      };
      socket.onmessage = ({ data }) => {
        seen.frames.push(JSON.parse(data));
        if (seen.frames[0].data) socket.close(1000);
      };
      socket.onclose = ({ code }) => resolve({ ...seen, closed: code });
    })`);
  const address = (): string => `${kernel.url.replace('http', 'ws')}/ws?uid=ada`;

  it('calls a protected resource with a token in the sub-protocols', async () => {
    expect(await visit(address(), ['Authorization', await signJwt({ id: 'ada' })])).to.deep.equal({
      opened: 'Authorization',
      frames: [{ uid: 'ada', action: 'who', data: { id: 'ada' } }],
      closed: 1000,
    });
  });

  it('can read why it was rejected', async () => {
    const { opened, frames, closed } = await visit(address(), ['Authorization', await signJwt({ id: 'eve' })]);
    expect({ opened, closed }).to.deep.equal({ opened: 'Authorization', closed: 4401 });
    expect(frames[0]).to.include({ uid: 'ada', action: 'connect' });
    expect(frames[0]?.['error']).to.include({ code: 'WS_NOT_YOURS', status: 401 });
    const other = await visit(address(), ['X-Nobody', 'a.b.c']);
    expect(other.closed).to.equal(4400);
    expect(other.frames[0]?.['error']).to.include({ code: 'WS_HANDSHAKE' });
  });

  it('gets no connection from an origin that is not allowed', async () => {
    await page.goto(origin.replace('127.0.0.1', 'localhost'));
    expect(await visit(address(), [])).to.deep.equal({ opened: null, frames: [], closed: 1006 });
    await page.goto(origin);
  });
});
