/** Shows progress: a spinner line with elapsed seconds on a TTY, plain lines elsewhere. */
import type { Output } from './terminal.js';

export interface Progress {
  show(text: string): void;
  stop(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const TURN = 80;

export function createProgress(stream: Output): Progress {
  if (!stream.isTTY) return { show: (text) => void stream.write(`${text}\n`), stop: () => undefined };
  let current: string | null = null;
  let turns = 0;
  let since = 0;
  const clear = (): void => void stream.write('\r\u001b[2K');
  const drawFrame = (): void => {
    if (current === null) return;
    const { columns = 0 } = stream;
    const seconds = Math.floor((performance.now() - since) / 1000);
    const line = `${FRAMES[turns++ % FRAMES.length] ?? ''} ${seconds < 1 ? '' : `${seconds} s `}${current}`;
    // Truncated, because a wrapped line cannot be cleared.
    stream.write(`\r\u001b[2K${[...line].slice(0, (columns > 0 ? columns : 80) - 1).join('')}`);
  };
  const timer = setInterval(drawFrame, TURN);
  const printCurrent = (): void => {
    if (current === null) return;
    clear();
    stream.write(`  ${current}\n`);
    current = null;
  };
  return {
    show(text) {
      printCurrent();
      current = text;
      since = performance.now();
      drawFrame();
    },
    stop() {
      clearInterval(timer);
      printCurrent();
    },
  };
}
