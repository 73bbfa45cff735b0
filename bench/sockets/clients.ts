/**
 * The process of the clients: it gets one command at a time and responds with one line. It stops at the end of the run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onCleanup } from '../cleanup.js';
import { pinCommand } from '../proc.js';
import { root } from '../targets.js';
import type { SocketCommand } from './child.js';

export interface Clients {
  sendCommand<T>(command: SocketCommand): Promise<T>;
  stop(): Promise<void>;
}

export function startClients(core: number | undefined): Clients {
  const [program = '', ...args] = pinCommand(core, [process.execPath, join(root, 'dist/bench/sockets/child.js')]);
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
    async sendCommand<T>(command: SocketCommand) {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      const line = await lines.next();
      if (line.done === true) throw new Error(`the clients ended: ${said}`);
      return JSON.parse(line.value) as T;
    },
    stop,
  };
}
