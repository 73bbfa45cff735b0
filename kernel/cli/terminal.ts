/** What a command has of the outside. Commands use this and never `process`, so that one process can run many of them. */
import type { Environment } from '../project/environment.js';

export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** `fd`: the file behind it, where there is one. */
export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly fd?: number;
};

type Listener = (signal: NodeJS.Signals) => void;

/** Requests of the system to end. */
export interface Signals {
  on(signal: NodeJS.Signals, listener: Listener): unknown;
  off(signal: NodeJS.Signals, listener: Listener): unknown;
}

export interface Terminal {
  /** Relative paths of the command line begin here. */
  readonly cwd: string;
  readonly env: Environment;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signals: Signals;
  /** Ends at once, whatever is still open. Without a code: that of the command. */
  readonly exit: (code?: number) => void;
}
