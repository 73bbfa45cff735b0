/**
 * What a run has to undo: its temporary folders, its servers, its database. It runs once, in reverse order, however the
 * run ends, and never touches a process that the run did not start.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const undo: (() => Promise<void>)[] = [];

/** Gives a function that takes the step back, for what ended by itself. */
export function onCleanup(step: () => Promise<void>): () => void {
  undo.push(step);
  return () => {
    const index = undo.indexOf(step);
    if (index >= 0) undo.splice(index, 1);
  };
}

export async function runCleanup(): Promise<void> {
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
    // One step that fails must not keep the others from running.
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
