/** Keeps V8 from optimizing WebAssembly that it compiles meanwhile. A flag of the user remains. */
import { setFlagsFromString } from 'node:v8';

export const isChosen = (flag: RegExp): boolean =>
  [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/)].some((word) =>
    flag.test(word.replaceAll('_', '-')),
  );

const FLAGS = ['wasm-tier-up', 'wasm-dynamic-tiering'];
const isLeft = isChosen(/^--(?:no-)?(?:wasm-tier-up|wasm-dynamic-tiering|liftoff)/);

let isStopped = false;

export function stopOptimizing(): void {
  if (isStopped || isLeft) return;
  isStopped = true;
  for (const flag of FLAGS) setFlagsFromString(`--no-${flag}`);
}

/** Until the returned function is called. */
export function suspendOptimizing(): () => void {
  if (isLeft || isStopped) return () => undefined;
  for (const flag of FLAGS) setFlagsFromString(`--no-${flag}`);
  return () => {
    if (!isStopped) for (const flag of FLAGS) setFlagsFromString(`--${flag}`);
  };
}
