/** `lintel client`: prints a TypeScript client. What is the same in all clients is in `templates/client`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeClient, type ClientParts } from '../language/export/client/client.js';
import { findPackageFolder } from '../language/project/package-folder.js';
import { exportInterface } from './openapi.js';
import type { CommandOptions } from './options.js';
import type { Terminal } from './terminal.js';

export const runClient = (options: CommandOptions, terminal: Terminal): Promise<number> =>
  exportInterface(options, terminal, {
    command: 'client',
    file: 'client.ts',
    format: async (document) => writeClient(document, await readClientParts()),
  });

export async function readClientParts(): Promise<ClientParts> {
  const folder = join(findPackageFolder(import.meta.url), 'templates', 'client');
  const [http, socket] = await Promise.all(
    ['http.ts', 'socket.ts'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  return { http: http ?? '', socket: socket ?? '' };
}
