/**
 * The command line as people run it: a child process of the compiled `cli.js` in a folder, with an environment of its
 * own. Waits for what the child prints, never for time; ends only children that it started.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './project.js';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Options of node itself. */
  readonly node?: readonly string[];
}

export interface Child {
  readonly process: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Everything printed so far, both streams. */
  output(): string;
  /** Settles when the output after `from` matches; fails when the child ends without it. */
  printed(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

const PATIENCE_MS = 30_000;
const CLI = join(ROOT, 'dist', 'kernel', 'cli.js');

/** Nothing of the environment of the tests but what a program needs to run. */
const bareEnv = (): Record<string, string> =>
  Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR'].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );

export function startCli(words: readonly string[], { cwd, env = {}, node = [] }: RunOptions): Child {
  const child = spawn(process.execPath, [...node, CLI, ...words], { cwd, env: { ...bareEnv(), ...env } });
  let [stdout, stderr, all] = ['', '', ''];
  const waiting = new Set<() => void>();
  const tell = (): void => waiting.forEach((check) => check());
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    all += text;
    tell();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    all += text;
    tell();
  });
  let isOver = false;
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      isOver = true;
      resolve({ code, stdout, stderr });
      tell();
    });
  });

  function printed(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => end(() => reject(new Error(`never printed ${pattern.source}:\n${all}`))),
        PATIENCE_MS,
      );
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        waiting.delete(check);
        settle();
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
    process: child,
    finished,
    output: () => all,
    printed,
    stop(signal = 'SIGTERM') {
      if (!isOver) child.kill(signal);
      return finished;
    },
  };
}

/** Runs to the end: too soon for an optimizing compiler to be worth a quarter of the processor's time. */
export const runCli = (words: readonly string[], options: RunOptions): Promise<Finished> =>
  startCli(words, { ...options, node: ['--no-opt', ...(options.node ?? [])] }).finished;
