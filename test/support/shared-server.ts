/**
 * One server for a whole run: a worker of the runner requests it from the process that started it, any other process
 * starts its own.
 */
import type { ServerOrSkip } from './guarded-server.js';
import type { FromWorker, ServerName, ToWorker } from '../runner/messages.js';

/** Set by the runner for its workers. */
export const WORKER_VARIABLE = 'TEST_WORKER';
export const isWorker = process.env[WORKER_VARIABLE] === '1' && process.send !== undefined;

export type SharedServer<Address> = ServerOrSkip<Address & { readonly stop: () => Promise<void> }>;

const found = new Map<ServerName, Promise<SharedServer<object>>>();

/** The server of this run; `start` is called at most once for each name. */
export function shareServer<Address extends object>(
  name: ServerName,
  start: () => Promise<SharedServer<Address>>,
): Promise<SharedServer<Address>> {
  const known = found.get(name) ?? (isWorker ? requestServer(name) : start());
  found.set(name, known);
  return known as Promise<SharedServer<Address>>;
}

/** Stops the server of this run if this process started it. */
export async function stopSharedServer(name: ServerName): Promise<void> {
  const server = await found.get(name)?.catch(() => undefined);
  found.delete(name);
  if (server !== undefined && !('skip' in server)) await server.stop();
}

const endings: (() => Promise<void>)[] = [];

/** Work for the end of the run: of the worker, or of a mocha run without the runner. Elsewhere the caller does it. */
export function runAtEnd(work: () => Promise<void>): void {
  if (isWorker) endings.push(work);
  else if (typeof after === 'function') after(work);
}

export async function endWorker(): Promise<void> {
  for (const work of endings.splice(0)) await work();
}

function requestServer(name: ServerName): Promise<SharedServer<object>> {
  return new Promise((resolve, reject) => {
    const receive = (message: ToWorker): void => {
      if (message.type !== 'server' || message.name !== name) return;
      process.off('message', receive);
      const { found: reply } = message;
      if ('error' in reply) reject(new Error(reply.error));
      else resolve({ ...reply, stop: async () => {} });
    };
    process.on('message', receive);
    const request: FromWorker = [{ type: 'server', name }];
    process.send?.(request);
  });
}
