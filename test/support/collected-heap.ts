/** Bytes in use after a full garbage collection. For tests of memory that grows with each request. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

export async function measureCollectedHeap(): Promise<number> {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  // Memory released by finalizers of the first collection is freed by the second.
  for (let n = 0; n < 2; n++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}
