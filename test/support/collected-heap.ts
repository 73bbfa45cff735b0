/** Bytes that are in use when everything is collected that can be. For tests that look for what grows with each request. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

export async function measureCollectedHeap(): Promise<number> {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  // What a first collection sets free by its finalizers goes with the second.
  for (let n = 0; n < 2; n++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}
