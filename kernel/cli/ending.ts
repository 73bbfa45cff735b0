/**
 * The end of a process that serves, in its order: not ready, no new work, no new requests, those under way, clients that
 * stay connected, plugins. A second signal hands back what is left and goes at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer } from '../http/server.js';
import type { Kernel } from '../runtime/kernel.js';
import type { Terminal } from './terminal.js';

/** Milliseconds; a connection attempt that hangs must not keep a process that is done. */
const LINGERING = 500;
const ENDING = ['SIGTERM', 'SIGINT'] as const;

/** Resolves with the exit code when a signal has ended everything; rejects when what was waited for turned out to be wrong. */
export function ending(kernel: Kernel, server: RunningServer, { signals, exit }: Terminal): Promise<number> {
  return new Promise((resolve, reject) => {
    let isEnding = false;
    const leave = (): void => {
      for (const signal of ENDING) signals.off(signal, stop);
      setTimeout(exit, LINGERING).unref();
    };
    const stop = (signal: NodeJS.Signals): void => {
      if (isEnding) {
        void kernel.abandon().finally(() => exit(1));
        return;
      }
      isEnding = true;
      kernel.log.info({ signal }, 'closing');
      void end(kernel, server, signal).then((isWhole) => {
        leave();
        resolve(isWhole ? 0 : 1);
      }, reject);
    };
    for (const signal of ENDING) signals.on(signal, stop);
    kernel.complete().catch(async (error: unknown) => {
      if (isEnding) return;
      isEnding = true;
      await end(kernel, server, 'failed start');
      leave();
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- it is handed on as it came
      reject(error);
    });
  });
}

/** True when everything that was begun could be finished. */
async function end(kernel: Kernel, server: RunningServer, reason: string): Promise<boolean> {
  const { drain, linger } = kernel.config.http.timeouts;
  server.leave();
  const work = kernel.drain();
  if (linger > 0) await sleep(linger * 1000);
  const stopped = await server.stop(drain, work);
  if (!stopped.requests) kernel.log.warn({}, 'requests were cut off: they took longer than `http.timeouts.drain`');
  if (!stopped.work) {
    kernel.log.warn({}, 'work was handed back: it took longer than `http.timeouts.drain`');
    await kernel.abandon();
  }
  await kernel.close(reason);
  return stopped.requests && stopped.work;
}
