/** Entry point of the language server process: serves one editor over stdio, IPC or a socket. */
import { createConnection, ProposedFeatures } from './protocol.js';
import { collectWhenIdle, createGarbageCollector } from './idle-gc.js';
import { serve } from './server.js';

/** The arguments select the transport: `--stdio`, `--node-ipc`, `--socket=PORT`. */
export function main(version: string): void {
  serve(createConnection(ProposedFeatures.all), version);
  // Registered after the connection's own listeners, so that no data is read before it listens.
  const noticed = collectWhenIdle(createGarbageCollector());
  process.stdin.on('data', noticed);
  process.on('message', noticed);
}
