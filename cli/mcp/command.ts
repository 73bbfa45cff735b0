/** Runs a command in a process of its own, which ends after its time or with too much output. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { findPackageFolder } from '../../language/project/package-folder.js';
import type { Terminal } from '../terminal.js';

const PROGRAM = 'dist/bundle/cli.js';
/** Bytes of output that are kept. */
const MAX_OUTPUT = 1_048_576;

export interface CommandOutcome {
  readonly code: number | null;
  readonly text: string;
}

export interface CommandRun {
  readonly words: readonly string[];
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

export function runCommand(
  { cwd, env }: Terminal,
  { words, milliseconds, signal }: CommandRun,
): Promise<CommandOutcome> {
  const program = join(findPackageFolder(import.meta.url), PROGRAM);
  const child = spawn(execPath, [program, ...words], {
    cwd,
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const parts: Buffer[] = [];
  let bytes = 0;
  let why = '';
  const endChild = (reason: string): void => {
    why ||= reason;
    child.kill('SIGKILL');
  };
  const appendOutput = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > MAX_OUTPUT) endChild(`ended: it printed more than ${MAX_OUTPUT} bytes`);
    else parts.push(part);
  };
  child.stdout.on('data', appendOutput);
  child.stderr.on('data', appendOutput);
  const abort = (): void => endChild('ended: the request was cancelled');
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => endChild(`ended: it took longer than ${milliseconds / 1000} s`), milliseconds);
  return new Promise((resolve, reject) => {
    const removeListeners = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    child.on('error', (error) => {
      removeListeners();
      reject(error);
    });
    child.on('close', (code) => {
      removeListeners();
      resolve({ code: why === '' ? code : null, text: `${Buffer.concat(parts).toString('utf8')}${why}` });
    });
  });
}
