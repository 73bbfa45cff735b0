/** The page of `lintel dev` that describes every endpoint, inside the editor. */
import { Uri, commands, env, window, workspace, type Memento } from 'vscode';
import { mayRequest } from './panels/allowed.js';

/** Milliseconds: the kernel runs on this machine, or it does not. */
const PATIENCE = 2000;

/** `base`: where the kernel answers; the port may stand in a config that a stranger wrote. `kept`: as `mayRequest` wants it. */
export async function openApiPage(base: string, kept: Memento): Promise<void> {
  const url = `${base}/docs`;
  if (!workspace.isTrusted && !(await mayRequest(url, kept))) return;
  if (!(await answers(url))) {
    const run = 'Run the Kernel';
    const anyway = 'Open Anyway';
    const message = `Nothing answers at ${url}. The page is served by \`lintel dev\`; the setting lintel.request.baseUrl says where.`;
    const answer = await window.showWarningMessage(message, run, anyway);
    if (answer === run) await commands.executeCommand('lintel.run');
    if (answer !== anyway) return;
  }
  try {
    await commands.executeCommand('simpleBrowser.show', url);
  } catch {
    // The browser inside is an extension that can be switched off.
    await env.openExternal(Uri.parse(url));
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(PATIENCE) }).then(
    ({ ok }) => ok,
    () => false,
  );
