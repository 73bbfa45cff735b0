/** "New Project" in a window without a folder: from the command to the response of the first request. */
import { expect } from 'chai';
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Editor } from './editor.js';
import { installLintel } from './extension-project.js';
import { pickFreePort } from './guarded-server.js';
import { createTempProject } from './project.js';

/** A folder by which the dialog shows where it is. */
const INSIDE = 'folder-of-the-test';

export async function createProjectInEmptyWindow(editor: Editor): Promise<void> {
  const parent = await createTempProject();
  const [folder, port] = [join(parent.folder, 'shop'), await pickFreePort()];
  try {
    await mkdir(join(parent.folder, INSIDE));
    await editor.openEmptyWindow();
    await editor.run('Lintel: New Project...', () => editor.waitForInput('New project'));
    await editor.submitInput('New project', 'shop');
    await chooseFolder(editor, 'Create Here', parent.folder);
    const dialog = editor.page.locator('.monaco-dialog-box', { hasText: 'shop is created' });
    await dialog.filter({ hasText: 'Nothing of this folder runs until you trust it.' }).waitFor();
    await parent.write('shop/.npmrc', 'registry=http://127.0.0.1:1\nfetch-retries=0\n');
    await appendFile(join(folder, '.env'), `PORT=${port}\n`);
    await editor.answerDialog('shop is created', 'Trust, Install and Run');
    const trust = editor.page.locator('.workspace-trust-editor');
    await trust.waitFor();
    // The extension closes the page as soon as the folder is trusted.
    await editor.actUntilSeen(
      () =>
        trust
          .locator('.monaco-button')
          .filter({ hasText: /^Trust$/ })
          .first()
          .click({ timeout: 5000 }),
      () => trust.waitFor({ state: 'hidden' }),
    );
    expect(await editor.readNotification('failed')).to.contain('Its terminal shows why.');
    await parent.write('shop/package.json', {});
    await installLintel(folder);
    await editor.page.locator('.notification-list-item .monaco-button', { hasText: 'Try Again' }).click();
    const panel = await editor.findWebview('#send');
    await panel.locator('#base').fill(`http://127.0.0.1:${port}`);
    await editor.actUntilSeen(
      () => panel.locator('#send').click(),
      () => panel.locator('#status', { hasText: '200' }).waitFor(),
    );
    expect(await panel.locator('#body').innerText()).to.match(/"status":\s*"ok"/);
  } finally {
    await parent.dispose();
  }
}

async function chooseFolder(editor: Editor, button: string, folder: string): Promise<void> {
  const { page } = editor;
  const accept = page.locator('.quick-input-widget .monaco-button').filter({ hasText: button });
  await accept.waitFor();
  const input = page.locator('.quick-input-widget input').first();
  // The dialog writes the folder of the user when it has read it, in place of what is typed before.
  const inside = page.locator('.quick-input-list .monaco-list-row').filter({ hasText: INSIDE });
  await editor.actUntilSeen(
    () => input.fill(`${folder}/`),
    () => inside.waitFor(),
  );
  await editor.actUntilSeen(
    () => accept.click(),
    () => accept.waitFor({ state: 'hidden' }),
  );
}
