/**
 * A real browser for tests of pages, where the machine has one. In CI its absence is a failure: a page that nobody has looked
 * at is not tested.
 */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Null where there is none. */
export async function startBrowser(): Promise<Browser | null> {
  const executablePath = PLACES.find((file) => existsSync(file));
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: ['--no-sandbox'] });
  if (process.env['CI'] === 'true') throw new Error(`there is no browser at ${PLACES.join(', ')}`);
  return null;
}
