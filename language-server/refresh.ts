/** Asks the client to refresh lenses, hints and colours that another file has changed. */
import type { ClientCapabilities, Connection } from 'vscode-languageserver';

export interface Refresher {
  /** `name`: the file that has changed; null if it may be any. */
  noteChange(name: string | null): void;
  /** Call when the change has been analysed. `open`: absolute names of the open files. */
  refresh(open: readonly string[]): void;
}

export function createRefresher(connection: Connection, getClient: () => ClientCapabilities): Refresher {
  const changed = new Set<string | null>();
  return {
    noteChange: (name) => void changed.add(name),
    refresh(open) {
      // The client asks by itself for the file that it changes.
      const isOther = open.some((name) => [...changed].some((one) => one !== name));
      changed.clear();
      if (!isOther) return;
      const { codeLens, inlayHint, semanticTokens } = getClient().workspace ?? {};
      for (const [name, support] of Object.entries({ codeLens, inlayHint, semanticTokens }))
        if (support?.refreshSupport === true)
          connection.sendRequest(`workspace/${name}/refresh`).catch(() => undefined);
    },
  };
}
