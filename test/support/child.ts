/**
 * The command line as people run it: a child process of the bundle that the package ships, in a folder, with an environment of its
 * own. Ends only children that it started. Without a process of its own: `cli.ts`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { recordOutput, type Finished, type Running } from './output.js';
import { ROOT } from './project.js';

export type { Finished, Running } from './output.js';

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}
export interface SpawnOptions extends RunOptions {
  /** Options of node itself. */
  readonly node?: readonly string[];
  /** False: the modules of the bundle. */
  readonly isBundled?: boolean;
  /** The command line of another installation. */
  readonly file?: string;
}

export interface Child extends Running {
  readonly process: ChildProcess;
}

const BUNDLE = [join(ROOT, 'dist', 'bundle', 'cli.js')];
const MODULES = ['--conditions=lintel-modules', join(ROOT, 'dist', 'cli', 'bin.js')];

/** Only for `test/mutation`, which measures child processes too. */
const COVERAGE = process.env['LINTEL_COVERAGE'] === undefined ? [] : ['LINTEL_COVERAGE', 'NODE_OPTIONS'];

/** From the environment of the tests only what a program needs to run. */
export const bareEnv = (): Record<string, string> =>
  Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR', ...COVERAGE].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );

export function startCli(
  words: readonly string[],
  { cwd, env = {}, node = [], isBundled = process.env['TEST_MODULES'] === undefined, file }: SpawnOptions,
): Child {
  const program = file !== undefined ? [file] : isBundled ? BUNDLE : MODULES;
  const child = spawn(process.execPath, [...node, ...program, ...words], { cwd, env: { ...bareEnv(), ...env } });
  const { appendText, close, fail, isOver, ...recorder } = recordOutput();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => appendText(name, text));
  }
  child.once('error', fail).once('close', close);
  const send = (signal: NodeJS.Signals): void => {
    if (!isOver()) child.kill(signal);
  };
  return {
    ...recorder,
    process: child,
    send,
    stop(signal = 'SIGTERM') {
      send(signal);
      return recorder.finished;
    },
  };
}

/** Runs to the end: too soon for an optimizing compiler to be worth a quarter of the processor's time. */
export const spawnCli = (words: readonly string[], options: SpawnOptions): Promise<Finished> =>
  startCli(words, { ...options, node: ['--no-opt', ...(options.node ?? [])] }).finished;
