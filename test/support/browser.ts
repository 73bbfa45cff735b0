/**
 * A real browser for tests of pages, where the machine has one. In CI its absence is a failure: a page must be tested.
 */
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser } from 'playwright-core';

/** `CHROMIUM` names one at another path. */
const PLACES = [
  ...(process.env['CHROMIUM'] ? [process.env['CHROMIUM']] : []),
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Null if there is none. */
export async function startBrowser(): Promise<Browser | null> {
  const executablePath = PLACES.find((file) => existsSync(file));
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  if (process.env['CI'] === 'true') throw new Error(`there is no browser at ${PLACES.join(', ')}`);
  return null;
}

/** An origin of its own, with one empty page. */
export async function startSite(): Promise<{ readonly site: Server; readonly origin: string }> {
  const site = createServer((_, res) => res.setHeader('content-type', 'text/html').end('<title>app</title>'));
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  return { site, origin: `http://127.0.0.1:${(site.address() as AddressInfo).port}` };
}
