/** Commands use this and never `process`, so that one process can run many. */
import type { Environment } from '../language/project/environment.js';

export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** `fd`: the file descriptor of the stream, if any. */
export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly fd?: number;
};

type Listener = (signal: NodeJS.Signals) => void;

export interface Signals {
  on(signal: NodeJS.Signals, listener: Listener): unknown;
  off(signal: NodeJS.Signals, listener: Listener): unknown;
}

export interface Terminal {
  /** Base of relative paths on the command line. */
  readonly cwd: string;
  readonly env: Environment;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signals: Signals;
  /** Exits immediately. Without a code, the command's exit code is used. */
  readonly exit: (code?: number) => void;
}
