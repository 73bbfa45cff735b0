/**
 * Handles that a test run leaves open: a server, a socket, a child process, a timer that keeps the process alive.
 * Prints each, and where a timer was set, and exits with an error; closes nothing, since an open handle is a defect.
 */
import { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { Server, Socket } from 'node:net';
import timers from 'node:timers';
import promises from 'node:timers/promises';

/** Milliseconds in which the process must end by itself after its last test. */
const patience = 20_000;

/** Where a timer was set. A weak reference, so that recording a timer does not keep it. */
interface Origin {
  readonly timer: WeakRef<NodeJS.Timeout>;
  /** Its stack is formatted on demand only. */
  readonly at: Error;
}

const origins = new Set<Origin>();
const forgotten = new FinalizationRegistry((origin: Origin) => origins.delete(origin));
const asleep = new Set<Error>();

/** To be called before anything that sets timers is loaded. Whole runs grow by a gigabyte with it. */
export function trackTimers(): void {
  const native = { setTimeout: timers.setTimeout, setInterval: timers.setInterval };
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const set = native[name] as (...given: unknown[]) => NodeJS.Timeout;
    const remembering = Object.assign((...given: unknown[]): NodeJS.Timeout => {
      const timer = set(...given);
      const origin = { timer: new WeakRef(timer), at: captureOrigin(remembering) };
      origins.add(origin);
      forgotten.register(timer, origin);
      return timer;
    }, native[name]);
    Object.defineProperty(remembering, Symbol.for('nodejs.util.promisify.custom'), { value: promises.setTimeout });
    Object.assign(timers, { [name]: remembering });
    Object.assign(globalThis, { [name]: remembering });
  }
  const sleep = promises.setTimeout;
  promises.setTimeout = async (...given) => {
    const at = captureOrigin(promises.setTimeout);
    asleep.add(at);
    try {
      return await sleep(...given);
    } finally {
      asleep.delete(at);
    }
  };
  syncBuiltinESMExports();
}

/** The open handles, and the test file after which each was first seen. */
const openedBy = new WeakMap<object, string>();

/** To be called after each test file. */
export function trackHandles(file: string): void {
  for (const handle of listActiveHandles()) if (!openedBy.has(handle)) openedBy.set(handle, file);
}

function captureOrigin(above: (...given: never[]) => unknown): Error {
  const at = new Error('set');
  Error.captureStackTrace(at, above);
  return at;
}

/** Waits without keeping the process alive, so it does nothing in a process that leaves nothing open. */
export function reportLingering(print = (text: string): void => void process.stderr.write(`${text}\n`)): void {
  const report = () => {
    print(`the tests are over, but something keeps the process alive: ${process.getActiveResourcesInfo().join(', ')}`);
    for (const handle of listActiveHandles())
      print(`  ${describeHandle(handle)}, opened by ${openedBy.get(handle) ?? 'the end of the process'}`);
    for (const place of listPendingTimers()) print(`  timer set ${place}`);
    if (origins.size === 0) print('  TRACE_TIMERS=1 in the environment prints where timers were set');
    process.exit(1);
  };
  setTimeout(report, patience).unref();
}

/** Where the timers that are still to fire, and keep the process alive, were set. */
function listPendingTimers(): readonly string[] {
  const left = [...origins].filter(({ timer }) => {
    // Not in the types of Node: whether it has fired or was cleared.
    const set: (NodeJS.Timeout & { _destroyed?: boolean }) | undefined = timer.deref();
    return set !== undefined && set._destroyed !== true && set.hasRef();
  });
  return [...left.map(({ at }) => at), ...asleep].map(({ stack }) =>
    (stack ?? '').split('\n').slice(1, 7).join('\n').trim(),
  );
}

/** Not documented by Node, which has no other way to the handles themselves. */
function listActiveHandles(): readonly object[] {
  return (process as unknown as { _getActiveHandles(): object[] })._getActiveHandles();
}

function describeHandle(handle: object): string {
  if (handle instanceof ChildProcess) return `process ${String(handle.pid)}: ${handle.spawnargs.join(' ')}`;
  if (handle instanceof Server) return `server at ${JSON.stringify(handle.address())}`;
  if (handle instanceof Socket) {
    const { localAddress, localPort, remoteAddress, remotePort } = handle;
    return `socket ${localAddress ?? '?'}:${String(localPort ?? '?')} - ${remoteAddress ?? '?'}:${String(remotePort ?? '?')}`;
  }
  return Object.prototype.toString.call(handle) + ' ' + String(handle.constructor.name);
}
