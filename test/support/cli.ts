/**
 * The command line in this process: the same arguments, environment, output and exit code as in a separate process,
 * without the half second of loading. Tests of the process itself use `child.ts`.
 */
import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { main } from '../../cli/main.js';
import type { Signals } from '../../cli/terminal.js';
import { reuseScratchProcesses } from '../../language/project/scratch-process.js';
import { bareEnv, type RunOptions } from './child.js';
import { recordOutput, type Finished, type Running } from './output.js';
import './pglite-pool.js';

export type { RunOptions } from './child.js';
export type { Finished, Running } from './output.js';

reuseScratchProcesses();

/** A signal before the listener is added waits for it. */
function createSignals(): { signals: Signals; send: (signal: NodeJS.Signals) => void } {
  const emitter = new EventEmitter();
  const early = new Set<NodeJS.Signals>();
  const send = (signal: NodeJS.Signals): void => {
    if (!emitter.emit(signal, signal)) early.add(signal);
  };
  return {
    send,
    signals: {
      on(signal, listener) {
        emitter.on(signal, listener);
        if (early.delete(signal)) queueMicrotask(() => send(signal));
      },
      off: (signal, listener) => emitter.off(signal, listener),
    },
  };
}

export function hostCli(words: readonly string[], { cwd, env = {} }: RunOptions): Running {
  const { appendText, close, fail, isOver, ...recorder } = recordOutput();
  const { signals, send } = createSignals();
  const createStream = (name: 'stdout' | 'stderr'): Writable =>
    new Writable({
      decodeStrings: false,
      write(text: string | Buffer, _encoding, done) {
        appendText(name, String(text));
        done();
      },
    });
  let code = 0;
  const terminal = {
    cwd,
    env: { ...bareEnv(), ...env },
    stdin: new PassThrough().end(),
    stdout: createStream('stdout'),
    stderr: createStream('stderr'),
    signals,
    exit: (given = code) => close(given),
  };
  main(words, terminal).then((given) => {
    code = given;
    close(given);
  }, fail);
  return {
    ...recorder,
    send,
    stop(signal = 'SIGTERM') {
      if (!isOver()) send(signal);
      return recorder.finished;
    },
  };
}

/** Runs to the end. */
export const runCli = (words: readonly string[], options: RunOptions): Promise<Finished> =>
  hostCli(words, options).finished;
