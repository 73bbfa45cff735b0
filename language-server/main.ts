/** The process of the language server: one editor over the standard streams, or over the channel that the editor opened. */
import { createConnection, ProposedFeatures } from './protocol.js';
import { collectInPauses, engineCollection } from './frugal.js';
import { serve } from './server.js';

/** Streams are told by the arguments: `--stdio`, `--node-ipc`, `--socket=PORT`. */
export function main(version: string): void {
  serve(createConnection(ProposedFeatures.all), version);
  // Behind the connection's own listeners, so that nothing is read before it listens.
  const noticed = collectInPauses(engineCollection());
  process.stdin.on('data', noticed);
  process.on('message', noticed);
}
