/**
 * Graceful shutdown: not ready, no new jobs, no new requests, in-flight requests, sockets, plugins. A second signal
 * exits immediately.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer } from '../kernel/http/server.js';
import type { Kernel } from '../kernel/runtime/kernel.js';
import type { Terminal } from './terminal.js';

/** Milliseconds until a forced exit: a connection attempt may hang. */
const LINGERING = 500;
const ENDING = ['SIGTERM', 'SIGINT'] as const;

/** The exit code; rejects if a server that became available rejects the definitions. */
export function waitForShutdown(
  kernel: Kernel,
  server: RunningServer,
  { signals, exit }: Terminal,
  onEnding: () => Promise<void> | undefined,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let isEnding = false;
    const scheduleExit = (): void => {
      for (const signal of ENDING) signals.off(signal, stop);
      setTimeout(exit, LINGERING).unref();
    };
    const stop = (signal: NodeJS.Signals): void => {
      if (isEnding) {
        void kernel.releaseClaims().finally(() => exit(1));
        return;
      }
      isEnding = true;
      kernel.log.info({ signal }, 'closing');
      void onEnding();
      void shutDown(kernel, server, signal).then((isWhole) => {
        scheduleExit();
        resolve(isWhole ? 0 : 1);
      }, reject);
    };
    for (const signal of ENDING) signals.on(signal, stop);
    kernel.complete().catch(async (error: unknown) => {
      if (isEnding) return;
      isEnding = true;
      await shutDown(kernel, server, 'failed start');
      scheduleExit();
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- it is handed on as it came
      reject(error);
    });
  });
}

/** True if all requests and jobs finished in time. */
async function shutDown(kernel: Kernel, server: RunningServer, reason: string): Promise<boolean> {
  const { drain, linger } = kernel.config.http.timeouts;
  server.markClosing();
  const work = kernel.drain();
  if (linger > 0) await sleep(linger * 1000);
  const stopped = await server.stop(drain, work);
  if (!stopped.requests) kernel.log.warn({}, 'requests aborted: they took longer than `http.timeouts.drain`');
  if (!stopped.work) {
    kernel.log.warn({}, 'jobs released: they took longer than `http.timeouts.drain`');
    await kernel.releaseClaims();
  }
  await kernel.close(reason);
  return stopped.requests && stopped.work;
}
