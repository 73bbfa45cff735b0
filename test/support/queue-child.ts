/** A process that works on a queue (`queue-worker.ts`): waits for its output, and ends only what it started. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Address } from './queues.js';
import { waitUntil } from './until.js';

const WORKER = fileURLToPath(new URL('./queue-worker.js', import.meta.url));

export interface QueueChild {
  /** Lines so far. */
  readonly lines: readonly string[];
  readonly waitForLine: (line: string | RegExp) => Promise<void>;
  /** Requests it to release its jobs, and to close the queue. */
  readonly terminate: () => void;
  /** Ends it as `kill -9` does, unless it is over. */
  readonly kill: () => Promise<void>;
  readonly over: Promise<unknown>;
}

export function startQueueChild(address: Address): QueueChild {
  const child = spawn(process.execPath, ['--no-opt', WORKER, JSON.stringify(address)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  const over = once(child, 'close');
  return {
    lines,
    over,
    waitForLine: (line) =>
      waitUntil(
        () => lines.some((one) => (typeof line === 'string' ? one === line : line.test(one))),
        `printed ${line}`,
      ),
    terminate: () => void child.kill('SIGTERM'),
    async kill() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await over;
    },
  };
}
