/** The heap of a child process after a collection. The child is started with the flags of HEAP_PROBE. */
import { join } from 'node:path';
import type { Child } from './child.js';
import { ROOT } from './project.js';

/** Flags of Node. */
export const HEAP_PROBE = ['--expose-gc', '--import', join(ROOT, 'dist/test/support/heap-probe.js')];

export interface HeapSize {
  /** Bytes of the heap. */
  readonly heap: number;
  /** Bytes outside the heap that its objects hold, such as buffers. */
  readonly external: number;
}

/** Collects garbage and measures the rest. */
export async function collectHeap(child: Child): Promise<HeapSize> {
  const from = child.output().length;
  child.send('SIGUSR2');
  const [, heap, external] = await child.waitForOutput(/heap (\d+) external (\d+)/, from);
  return { heap: Number(heap), external: Number(external) };
}
