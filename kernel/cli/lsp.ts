/** `lintel lsp`: the language server over the standard streams, for any editor. The code stands in `language-server/`. */
import { main } from '../../language-server/main.js';
import type { CommandOptions } from './commands.js';
import type { Terminal } from './terminal.js';
import { versionOfPackage } from './version.js';

/** Ends with the editor: the protocol's `exit`, or the end of the input. */
export function lsp({ stdio }: CommandOptions, { stderr }: Terminal): Promise<number> {
  if (!stdio) {
    stderr.write('`lintel lsp` is started by an editor, which talks to it over the standard streams: --stdio.\n');
    return Promise.resolve(2);
  }
  main(versionOfPackage());
  return new Promise(() => undefined);
}
