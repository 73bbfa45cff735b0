/**
 * The clean-up of a run: temporary folders, servers, the database. The steps run once, in reverse order, however the run
 * ends, and only end processes that the run started.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const undo: (() => Promise<void>)[] = [];

/** Returns a function that removes the step, for resources that end before the run does. */
export function onCleanup(step: () => Promise<void>): () => void {
  undo.push(step);
  return () => {
    const index = undo.indexOf(step);
    if (index >= 0) undo.splice(index, 1);
  };
}

export async function runCleanup(): Promise<void> {
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
    // The other steps run even if one fails.
    await step().catch((error: unknown) => {
      console.error('cleaning up:', error);
    });
  }
}

export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lintel-bench-'));
  onCleanup(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
