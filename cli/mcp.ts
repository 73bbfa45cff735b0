/** `lintel mcp`: a Model Context Protocol server over stdin and stdout. The protocol is an optional package. */
import { Transform, type Writable } from 'node:stream';
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
  const reader = createMessageReader(terminal.stdout);
  await serveTools({ options, terminal, reader, version: readPackageFile().version });
  return 0;
}

/** Bytes of a message. */
export const MAX_MESSAGE = 1_048_576;

const NEWLINE = 10;

/** Lines of JSON. What is too large or no JSON is answered here and read no further. */
export function createMessageReader(answer: Pick<Writable, 'write'>): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;
  const reject = (code: number, message: string): void =>
    void answer.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`);
  const add = (part: Buffer): void => {
    bytes += part.length;
    // The rest of the line is counted and dropped.
    if (bytes > MAX_MESSAGE) parts = [];
    else parts.push(part);
  };
  const takeLine = (): Buffer | null => {
    const line = Buffer.concat(parts);
    const isLarge = bytes > MAX_MESSAGE;
    [parts, bytes] = [[], 0];
    if (isLarge) reject(-32_600, `The message is larger than ${MAX_MESSAGE} bytes.`);
    else if (line.length > 0 && !isJson(line)) reject(-32_700, 'The message is no JSON.');
    else if (line.length > 0) return line;
    return null;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end));
        const line = takeLine();
        if (line !== null) this.push(Buffer.concat([line, Buffer.from('\n')]));
        start = end + 1;
      }
      add(chunk.subarray(start));
      done();
    },
  });
}

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(line.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
