/** `lintel mcp`: a Model Context Protocol server over stdin and stdout. The protocol is an optional package. */
import { formatInstallCommand, isInstalled } from '../language/project/missing-packages.js';
import { readPackageFile } from '../language/project/package-folder.js';
import type { CommandOptions } from './options.js';
import type { Terminal } from './terminal.js';

const PACKAGE = '@modelcontextprotocol/sdk';

export async function runMcp(options: CommandOptions, terminal: Terminal): Promise<number> {
  const { stdin, stderr } = terminal;
  if (!isInstalled(`${PACKAGE}/server/index.js`)) {
    const command = formatInstallCommand([PACKAGE], '--save-dev ');
    stderr.write(`lintel mcp needs the package ${PACKAGE}, which is not installed: ${command}\n`);
    return 1;
  }
  if (stdin.isTTY === true) {
    stderr.write('`lintel mcp` is started by a program and communicates over the standard streams.\n');
    return 2;
  }
  const { serveTools } = await import('./mcp/server.js');
  await serveTools(options, terminal, readPackageFile().version);
  return 0;
}
