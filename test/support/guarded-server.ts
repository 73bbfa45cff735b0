/**
 * Servers that tests start, and that never outlive the tests. A guard (`sh`) starts the server as its own child and waits
 * on a pipe from this process: when the pipe closes, because a test run is over, crashed or was killed with -9, it ends
 * the server and removes its folder. Ends nothing but the children it started, by their ids.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A server, or the reason why there is none. */
export type ServerOrSkip<Server> = Server | { readonly skip: string };

export interface GuardedServer {
  readonly folder: string;
  readonly stop: () => Promise<void>;
}

export interface GuardedOptions {
  /** Of the temporary folder. */
  readonly name: string;
  /** Shell text that starts the server with `keep PROGRAM ARGS...`; `$dir` is the folder. It ends at once. */
  readonly script: (folder: string) => string;
  /** The signal that stops the server in order, without waiting for its clients. */
  readonly signal?: 'TERM' | 'QUIT' | 'KILL';
  /** Before the script; the folder belongs to this user. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** Rejects while the server does not respond. */
  readonly ready: () => Promise<void>;
  readonly patienceMs?: number;
}

/**
 * A process that runs three seconds after its signal is killed; so are the processes of a server that was started as
 * the head of a group (`keep setsid ...`). Traps that do nothing, since ignored signals are inherited.
 */
const GUARD = `
set -e
dir=$1 signal=$2 pids=
keep() { "$@" >>"$dir/log" 2>&1 </dev/null & pids="$pids $!"; }
end() {
  set +e
  tries=0
  for pid in $pids; do kill -s "$signal" "$pid"; done
  for pid in $pids; do
    while [ $tries -lt 30 ] && kill -0 "$pid"; do sleep 0.1; tries=$((tries + 1)); done
    kill -s KILL "$pid"
    kill -s KILL -- "-$pid"
    while kill -0 -- "-$pid"; do sleep 0.1; done
  done
  rm -rf "$dir"
} 2>/dev/null
trap end EXIT
trap : INT TERM HUP
eval "$3" >>"$dir/log" 2>&1
cat >/dev/null
`;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * No system assigns these ports to a client, or to a server that requests any port, so a port stays free until its
 * server starts.
 */
const PORTS = { first: 15_000, count: 16_000 };
/** Processes that run at the same time begin at different places. */
let tried = Math.floor(Math.random() * PORTS.count);

/** A port of 127.0.0.1 without a listener; each call returns another one. */
export async function pickFreePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + (tried++ % PORTS.count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

export const findProgram = (program: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));

/** No server: a named skip on a laptop, a failure where everything must run. */
export function skipWithReason(reason: string): { readonly skip: string } {
  if (process.env['CI'] === 'true') throw new Error(reason);
  return { skip: reason };
}

export async function startGuardedServer(options: GuardedOptions): Promise<GuardedServer> {
  const folder = await mkdtemp(join(tmpdir(), `lintel-${options.name}-`));
  try {
    await options.prepare?.(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  // A separate session: a Ctrl-C in the terminal must not end the guard before its server.
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', folder, options.signal ?? 'TERM', options.script(folder)], {
    cwd: tmpdir(),
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  let hasEnded = false;
  const over = once(guard, 'exit').then(() => (hasEnded = true));
  guard.unref();
  const stop = async (): Promise<void> => {
    guard.ref();
    guard.stdin.end();
    await over;
  };

  const end = Date.now() + (options.patienceMs ?? 60_000);
  for (;;) {
    const failure = await options.ready().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return { folder, stop };
    if (hasEnded || Date.now() > end) {
      const log = await readFile(join(folder, 'log'), 'utf8').catch(() => '(no log)');
      await stop();
      throw new Error(`the ${options.name} server did not start:\n${log.slice(-4000)}`, { cause: failure });
    }
    await pause(50);
  }
}
