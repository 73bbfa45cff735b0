/** `lintel lsp`: runs the language server (`language-server/`) over stdin and stdout. */
import { main } from '../language-server/main.js';
import type { CommandOptions } from './options.js';
import type { Terminal } from './terminal.js';
import { readPackageFile } from '../language/project/package-folder.js';

/** Never resolves: the server exits on `exit` or at the end of the input. */
export function runLanguageServer({ stdio }: CommandOptions, { stderr }: Terminal): Promise<number> {
  if (!stdio) {
    stderr.write('`lintel lsp` is started by an editor and communicates over the standard streams: --stdio.\n');
    return Promise.resolve(2);
  }
  main(readPackageFile().version);
  return new Promise(() => undefined);
}
