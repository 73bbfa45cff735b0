/** Entry point of the language server process: serves one editor over stdio, IPC or a socket. */
import { stopOptimizing } from '../language/project/wasm-tiering.js';
import { createConnection, ProposedFeatures } from './protocol.js';
import { collectWhenIdle, createGarbageCollector } from './idle-gc.js';
import { serve } from './server.js';

/** The arguments select the transport: `--stdio`, `--node-ipc`, `--socket=PORT`. */
export function main(version: string): void {
  stopOptimizing();
  const noticed = collectWhenIdle(createGarbageCollector());
  serve(createConnection(ProposedFeatures.all), version, noticed);
  // Registered after the connection's own listeners, so that no data is read before it listens.
  process.stdin.on('data', noticed);
  process.on('message', noticed);
}
