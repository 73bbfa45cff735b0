/** Starts a target as a child process on a free port of 127.0.0.1, waits for its first response, and stops it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { onCleanup } from './cleanup.js';
import { pinCommand, readResidentMiB } from './proc.js';
import type { Target } from './targets.js';
import { fieldKey, hookKey, tokenKey } from './tokens.js';

const startLimit = 60_000;
const stopLimit = 5000;

export interface Server {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first response. */
  readonly startMs: number;
  /** Resident memory after the first response, before any load. */
  readonly idleMiB: number;
  /** The end of its output; printed after an error. */
  readonly getOutput: () => string;
  readonly stop: () => Promise<void>;
}

export async function startServer(
  target: Target,
  variables: Readonly<Record<string, string>>,
  core: number | undefined,
): Promise<Server> {
  const port = await findFreePort();
  const [program = '', ...args] = pinCommand(core, [process.execPath, ...target.args]);
  const started = performance.now();
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'warn',
      BENCH_TOKEN_KEY: tokenKey,
      BENCH_HOOK_KEY: hookKey,
      BENCH_FIELD_KEY: fieldKey,
      ...variables,
    },
  });
  const removeStep = onCleanup(() => stop(child));
  child.once('exit', removeStep);
  const getOutput = collectOutput(child);
  const url = `http://127.0.0.1:${port}`;
  await waitForAnswer(child, url, () => `${target.name} did not start:\n${getOutput()}`);
  if (child.pid === undefined) throw new Error(`${target.name} has no process id`);
  return {
    name: target.name,
    url,
    pid: child.pid,
    startMs: performance.now() - started,
    idleMiB: readResidentMiB(child.pid),
    getOutput,
    stop: () => stop(child),
  };
}

async function waitForAnswer(child: ChildProcess, url: string, formatFailure: () => string): Promise<void> {
  let hasEnded = false;
  child.once('error', () => (hasEnded = true));
  child.once('exit', () => (hasEnded = true));
  const limit = AbortSignal.timeout(startLimit);
  while (!hasEnded && !limit.aborted) {
    const response = await fetch(`${url}/health`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
      signal: AbortSignal.timeout(2000),
    }).catch(() => null);
    await response?.arrayBuffer();
    if (response?.ok) return;
    // There is no event for a child process that listens, so the request is repeated.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(formatFailure());
}

/** Collects the last output of the child. Reading it also prevents that its pipes fill up. */
function collectOutput(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-4000)));
  }
  return () => text.trim();
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), stopLimit);
  await exited;
  clearTimeout(killTimer);
}

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
