/** One process that runs test files of a workspace, seen from the tool: requests, limits, and the end of all that it started. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { RunRequest, RunResult } from './messages.js';
import type { Workspace } from './workspace.js';

export type RunOutcome =
  | { readonly type: 'result'; readonly result: RunResult }
  | { readonly type: 'timeout' }
  | { readonly type: 'exit'; readonly reason: string };

export interface TestProcess {
  run(request: RunRequest, limitMs: number): Promise<RunOutcome>;
  close(): Promise<void>;
}

/** Of other processes that the tests started, such as servers with a guard. */
const GRACE_MS = 5000;

export async function startTestProcess(
  workspace: Workspace,
  env: Readonly<Record<string, string>>,
): Promise<TestProcess> {
  const child = fork(join(workspace.folder, 'dist/test/mutation/worker.js'), [], {
    cwd: workspace.folder,
    // Mutants are modules, which the bundle of the package does not contain.
    env: { ...process.env, TMPDIR: workspace.scratch, TEST_MODULES: '1', ...env },
    execArgv: ['--conditions=lintel-modules'],
    // A group of its own, so that its children can be ended with it.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let end: string | null = null;
  const over = once(child, 'exit').then(
    ([code, signal]: unknown[]) => (end = `code ${String(code)}, signal ${String(signal)}`),
  );
  const ended = over.then((reason): RunOutcome => ({ type: 'exit', reason }));
  await Promise.race([once(child, 'message'), ended]);
  return {
    async run(request, limitMs) {
      if (end !== null) return { type: 'exit', reason: end };
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<RunOutcome>((resolve) => {
        timer = setTimeout(() => resolve({ type: 'timeout' }), limitMs);
      });
      const answer = once(child, 'message').then(([result]): RunOutcome => ({
        type: 'result',
        result: result as RunResult,
      }));
      child.send(request, () => undefined);
      const outcome = await Promise.race([answer, limit, ended]);
      clearTimeout(timer);
      return outcome;
    },
    async close() {
      if (end === null) {
        child.disconnect();
        const timer = setTimeout(() => endGroup(child), GRACE_MS);
        await over;
        clearTimeout(timer);
      }
      endGroup(child);
    },
  };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
}
