/**
 * For commands that judge definitions and end. The SQL parser runs for a few milliseconds, but the engine would spend
 * hundreds on optimising its largest function, and a process that ends waits for that. It is a setting of the whole
 * process, so nothing that serves, or opens a database, may call this.
 */
import { setFlagsFromString } from 'node:v8';

const NAME = '--wasm-tiering-budget';

export function withoutOptimizing(): void {
  const words = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/)];
  // Who asked for something else has it.
  if (words.some((word) => word.replaceAll('_', '-').startsWith(NAME))) return;
  setFlagsFromString(`${NAME}=1000000000`);
}
