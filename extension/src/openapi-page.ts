/** Opens the API documentation page of `lintel dev` inside the editor. */
import { Uri, commands, env, window, workspace, type Memento } from 'vscode';
import { confirmRequest } from './panels/confirm-request.js';

/** Milliseconds. Short, because the kernel usually runs on the same machine. */
const PATIENCE = 2000;

/** `base` may come from an untrusted config, hence the confirmation. `kept` stores the allowed hosts for `confirmRequest`. */
export async function openApiPage(base: string, kept: Memento): Promise<void> {
  const url = `${base}/docs`;
  if (!workspace.isTrusted && !(await confirmRequest(url, kept))) return;
  if (!(await isReachable(url))) {
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
    // The built-in browser is an extension that may be disabled.
    await env.openExternal(Uri.parse(url));
  }
}

const isReachable = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(PATIENCE) }).then(
    ({ ok }) => ok,
    () => false,
  );
