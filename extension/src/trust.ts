/** Tells the server when the workspace becomes trusted; how it begins stands in the initialization options. */
import { workspace, type Disposable } from 'vscode';
import type { Session } from './client.js';

export const tellTrust = (session: Session): Disposable =>
  workspace.onDidGrantWorkspaceTrust(() => {
    void session.client()?.sendNotification('lintel/trust', { trusted: true });
  });
