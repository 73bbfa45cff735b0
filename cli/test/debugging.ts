/**
 * The debugger of a run: the first case waits until one has attached, time does not pass while a request is stopped, and the run
 * ends when it leaves.
 */
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { formatDebugger, listenForDebugger, type DebugListener } from '../debug/listener.js';
import type { Terminal } from '../terminal.js';
import type { TestTime } from './time.js';

export interface TestDebugger {
  /** Resolves when they stop at breakpoints, or no debugger will attach. */
  stopRequests(kernel: Kernel, time: TestTime): Promise<void>;
  isOver(): boolean;
  isCutOff(): boolean;
  close(): Promise<void>;
}

export const CUT_OFF = 'the debugger was disconnected while the case ran: what it had stopped was rolled back';

export function createTestDebugger({ stderr }: Terminal): TestDebugger {
  let listener: DebugListener | null = null;
  let isOver = false;
  let isCutOff = false;
  let begin: () => void = () => undefined;
  const attached = new Promise<void>((resolve) => (begin = resolve));

  async function listenAt(kernel: Kernel, time: TestTime): Promise<void> {
    listener = await listenForDebugger(kernel, 'test', {
      pauseTime: () => time.pause(),
      onReady: begin,
      onLeave(how) {
        isOver = true;
        isCutOff ||= how === 'cut';
        begin();
      },
    });
    stderr.write(`${formatDebugger(listener)}the first case waits until it is attached\n`);
  }

  return {
    async stopRequests(kernel, time) {
      if (listener === null) await listenAt(kernel, time);
      else await listener.moveTo(kernel);
      await attached;
    },
    isOver: () => isOver,
    isCutOff: () => isCutOff,
    async close() {
      isOver = true;
      begin();
      await listener?.close();
    },
  };
}
