/** What a command has printed so far, and how a test waits for more of it. Waits for text, never for time. */
import { PATIENCE_MS } from './until.js';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that goes on, in whatever process. */
export interface Running {
  readonly finished: Promise<Finished>;
  /** Everything printed so far, both streams. */
  output(): string;
  /** Settles when the output after `from` matches; fails when the command ends without it. */
  printed(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  send(signal: NodeJS.Signals): void;
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

export interface Recorder extends Pick<Running, 'finished' | 'output' | 'printed'> {
  readonly isOver: () => boolean;
  readonly hear: (stream: 'stdout' | 'stderr', text: string) => void;
  /** The first one counts. */
  readonly end: (code: number | null) => void;
  readonly fail: (error: Error) => void;
}

export function recordOutput(): Recorder {
  const heard = { stdout: '', stderr: '' };
  let [all, isOver] = ['', false];
  const waiting = new Set<() => void>();
  let settle: { resolve: (finished: Finished) => void; reject: (error: Error) => void };
  const finished = new Promise<Finished>((resolve, reject) => (settle = { resolve, reject }));
  const checkAll = (): void => waiting.forEach((check) => check());

  function printed(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => end(() => reject(new Error(`never printed ${pattern.source}:\n${all}`))),
        PATIENCE_MS,
      );
      const end = (done: () => void): void => {
        clearTimeout(timer);
        waiting.delete(check);
        done();
      };
      const check = (): void => {
        const found = pattern.exec(all.slice(from));
        if (found !== null) end(() => resolve(found));
        else if (isOver) end(() => reject(new Error(`ended without printing ${pattern.source}:\n${all}`)));
      };
      waiting.add(check);
      check();
    });
  }

  return {
    finished,
    printed,
    output: () => all,
    isOver: () => isOver,
    hear(stream, text) {
      heard[stream] += text;
      all += text;
      checkAll();
    },
    end(code) {
      isOver = true;
      settle.resolve({ code, ...heard });
      checkAll();
    },
    fail(error) {
      isOver = true;
      settle.reject(error);
      checkAll();
    },
  };
}
