/** The process of the clients: orders go in one at a time, each is answered with one line. Ends with the run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onCleanup } from '../cleanup.js';
import { pinned } from '../proc.js';
import { root } from '../targets.js';
import type { Orders } from './child.js';

export interface Clients {
  tell<T>(orders: Orders): Promise<T>;
  stop(): Promise<void>;
}

export function startClients(core: number | undefined): Clients {
  const [program = '', ...args] = pinned(core, [process.execPath, join(root, 'dist/bench/sockets/child.js')]);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4000)));
  child.stdin.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const over = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await over;
    forget();
  };
  const forget = onCleanup(stop);
  return {
    async tell<T>(orders: Orders) {
      child.stdin.write(`${JSON.stringify(orders)}\n`);
      const line = await lines.next();
      if (line.done === true) throw new Error(`the clients ended: ${said}`);
      return JSON.parse(line.value) as T;
    },
    stop,
  };
}
