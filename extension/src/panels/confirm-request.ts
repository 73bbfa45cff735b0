/** Confirms requests from untrusted workspaces and to non-local hosts. */
import { window, workspace, type Memento } from 'vscode';
import { isLoopback } from './build-request.js';

const KEY = 'lintel.request.hosts';
let untrustedAllowed = false;

/** `kept` stores the hosts that were allowed earlier in this workspace. */
export async function confirmRequest(url: string, kept: Memento): Promise<boolean> {
  const { host } = new URL(url);
  if (!workspace.isTrusted && !untrustedAllowed) {
    const detail = `The definitions of this folder come from people whom you have not said you trust. The request goes to ${host}.`;
    if (!(await showConfirmation('Send requests from a restricted folder?', detail))) return false;
    untrustedAllowed = true;
  }
  if (isLoopback(url)) return true;
  const allowed = kept.get<readonly string[]>(KEY) ?? [];
  if (allowed.includes(host)) return true;
  const detail = `${host} is not this machine. What you send, a token too, goes there.`;
  if (!(await showConfirmation(`Send the request to ${host}?`, detail))) return false;
  await kept.update(KEY, [...allowed, host]);
  return true;
}

const SEND = 'Send';

const showConfirmation = async (question: string, detail: string): Promise<boolean> =>
  (await window.showWarningMessage(question, { modal: true, detail }, SEND)) === SEND;
