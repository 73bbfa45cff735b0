/**
 * Starts a target as a child process on a free port of 127.0.0.1, waits until it answers, and ends it again by its own
 * pid. What a target is stands in targets.ts; what is asked of it in rows.ts.
 */
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
  /** Milliseconds from the start of the process to its first answer. */
  readonly startMs: number;
  /** Resident memory once it answers, before any load. */
  readonly idleMiB: number;
  /** The end of what it printed; shown when something went wrong. */
  readonly getOutput: () => string;
  /** Before the end of the run. */
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
  const forget = onCleanup(() => stop(child));
  child.once('exit', forget);
  const said = collectOutput(child);
  const url = `http://127.0.0.1:${port}`;
  await waitForAnswer(child, url, () => `${target.name} did not start:\n${said()}`);
  if (child.pid === undefined) throw new Error(`${target.name} has no process id`);
  return {
    name: target.name,
    url,
    pid: child.pid,
    startMs: performance.now() - started,
    idleMiB: readResidentMiB(child.pid),
    getOutput: said,
    stop: () => stop(child),
  };
}

async function waitForAnswer(child: ChildProcess, url: string, complaint: () => string): Promise<void> {
  let gone = false;
  child.once('error', () => (gone = true));
  child.once('exit', () => (gone = true));
  const limit = AbortSignal.timeout(startLimit);
  while (!gone && !limit.aborted) {
    const response = await fetch(`${url}/health`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
      signal: AbortSignal.timeout(2000),
    }).catch(() => null);
    await response?.arrayBuffer();
    if (response?.ok) return;
    // Nothing tells another process's parent that it listens, so it is asked again and again.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(complaint());
}

/** What the child said last, for the message when it fails; reading it also keeps its pipes from filling up. */
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
  const hard = setTimeout(() => child.kill('SIGKILL'), stopLimit);
  await exited;
  clearTimeout(hard);
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
