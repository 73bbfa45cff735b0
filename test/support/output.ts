/** Output of a command so far, and waiting for more of it. Waits for text, never for time. */
import { PATIENCE_MS } from './until.js';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command, in any process. */
export interface Running {
  readonly finished: Promise<Finished>;
  /** Everything printed so far, both streams. */
  output(): string;
  /** Settles when the output after `from` matches; fails when the command ends without it. */
  waitForOutput(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  send(signal: NodeJS.Signals): void;
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

export interface Recorder extends Pick<Running, 'finished' | 'output' | 'waitForOutput'> {
  readonly isOver: () => boolean;
  readonly appendText: (stream: 'stdout' | 'stderr', text: string) => void;
  /** The first one counts. */
  readonly close: (code: number | null) => void;
  readonly fail: (error: Error) => void;
}

export function recordOutput(): Recorder {
  const received = { stdout: '', stderr: '' };
  let [all, isOver] = ['', false];
  const waiting = new Set<() => void>();
  let settle: { resolve: (finished: Finished) => void; reject: (error: Error) => void };
  const finished = new Promise<Finished>((resolve, reject) => (settle = { resolve, reject }));
  const checkAll = (): void => waiting.forEach((check) => check());

  function waitForOutput(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => settleWait(() => reject(new Error(`never printed ${pattern.source}:\n${all}`))),
        PATIENCE_MS,
      );
      const settleWait = (done: () => void): void => {
        clearTimeout(timer);
        waiting.delete(check);
        done();
      };
      const check = (): void => {
        const found = pattern.exec(all.slice(from));
        if (found !== null) settleWait(() => resolve(found));
        else if (isOver) settleWait(() => reject(new Error(`ended without printing ${pattern.source}:\n${all}`)));
      };
      waiting.add(check);
      check();
    });
  }

  return {
    finished,
    waitForOutput,
    output: () => all,
    isOver: () => isOver,
    appendText(stream, text) {
      received[stream] += text;
      all += text;
      checkAll();
    },
    close(code) {
      isOver = true;
      settle.resolve({ code, ...received });
      checkAll();
    },
    fail(error) {
      isOver = true;
      settle.reject(error);
      checkAll();
    },
  };
}
