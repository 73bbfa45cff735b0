/** The debugger of a real VS Code: a breakpoint, a request that stops at it, its values, and its response. */
import { expect } from 'chai';
import type { Editor } from './editor.js';

export interface DebuggedRequest {
  readonly file: string;
  /** Of the breakpoint, from one. */
  readonly line: number;
  readonly path: string;
  readonly body: object;
  readonly status?: number;
  /** Requests before it, which do not stop; returns headers of this one. */
  readonly prepare?: (url: string) => Promise<Readonly<Record<string, string>>>;
  /** A text that each scope shows, by its name. */
  readonly scopes: Readonly<Record<string, string>>;
  whileStopped?(): Promise<void>;
  /** The server still runs. */
  afterResponse?(): Promise<void>;
}

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;

export async function debugRequest(editor: Editor, request: DebuggedRequest): Promise<void> {
  const { file, line, path, body, scopes, status = 200 } = request;
  const { page } = editor;
  await editor.run('View: Close All Editors', () => page.locator('.tab').first().waitFor({ state: 'detached' }));
  await editor.open(file, line, 5);
  await editor.actUntilSeen(
    () => editor.pressKeys('F9'),
    () => page.locator('.codicon-debug-breakpoint').first().waitFor(),
  );
  await editor.actUntilSeen(
    () => editor.pressKeys('F5'),
    () => page.locator('.debug-toolbar').waitFor(),
  );
  const output = page.locator('.repl');
  // Only the lines in view are in the page, and each of the last ones names the address.
  await output.filter({ hasText: ADDRESS }).filter({ hasText: 'debugger attached' }).waitFor();
  const [url = ''] = ADDRESS.exec(await output.innerText()) ?? [];
  const headers = await request.prepare?.(url);
  const response = fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  // It fails where the editor is closed before it.
  response.catch(() => {});
  const rows = page.locator('.debug-variables .monaco-list-row');
  for (const [scope, value] of Object.entries(scopes))
    await editor.actUntilSeen(
      () => rows.filter({ hasText: scope }).first().locator('.monaco-tl-twistie').click({ timeout: 2000 }),
      () => rows.filter({ hasText: value }).first().waitFor(),
    );
  await request.whileStopped?.();
  await editor.pressKeys('F5');
  expect((await response).status).to.equal(status);
  await request.afterResponse?.();
  await editor.actUntilSeen(
    () => editor.pressKeys('Shift+F5'),
    () => page.locator('.debug-toolbar').waitFor({ state: 'hidden' }),
  );
}

/** Where a breakpoint is set: the cases of the file stop at it once, and pass. */
export async function debugCases(editor: Editor, file: string): Promise<void> {
  const { page } = editor;
  await editor.open(file);
  const stopped = page.locator('.debug-top-stack-frame-line').first();
  await editor.run('Test: Debug Tests in Current File', () => stopped.waitFor());
  await editor.actUntilSeen(
    // Once the cases have ended, the key would start a server.
    async () => (await stopped.isVisible()) && editor.pressKeys('F5'),
    () => page.locator('.debug-toolbar').waitFor({ state: 'hidden' }),
  );
  await editor.open(file);
  await page.locator('.testing-run-glyph.codicon-testing-passed-icon').first().waitFor();
}
