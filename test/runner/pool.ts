/**
 * Worker processes and the files they run. A worker that ends or hangs fails the file it was running, and the rest of the
 * files go on in a new one.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WORKER_VARIABLE } from '../support/shared-server.js';
import type { Failure, FileResult, FromWorker, RunFile, ToWorker, WorkerEvent } from './messages.js';
import { findServer } from './servers.js';

export interface PoolOptions {
  readonly jobs: number;
  readonly grep: string | null;
  /** Milliseconds for one test; null: mocha's default here, 20 seconds. */
  readonly timeout: number | null;
  /** Megabytes after which a worker is replaced by a new one. */
  readonly megabytes?: number;
  /** Milliseconds for one file; 0 for none. */
  readonly patience?: number;
  /** The program of another Node, for the workers and for what their tests start. */
  readonly node?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

export interface PoolListener {
  onTest(file: string, state: 'passed' | 'failed' | 'skipped', title: string, ms: number): void;
  onSkip(file: string, reason: string): void;
  onFailure(file: string, failure: Failure): void;
  onFileDone(file: string, result: FileResult): void;
}

/** Kills the worker and the programs that its tests have started. */
function killWorker({ process: child }: Worker): void {
  child.kill('SIGKILL');
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

const WORKER = fileURLToPath(new URL('worker.js', import.meta.url));
/**
 * Tests import modules, not the bundle of the package, and their plugins must import the same modules. The collector's
 * default of 1 MB for new objects takes an eighth of the processor time of a run.
 */
const WORKER_OPTIONS = ['--conditions=lintel-modules', '--min-semi-space-size=16', '--max-semi-space-size=64'];
const MEGABYTES = 1500;
const PATIENCE_MS = 300_000;
/** Workers for files that mostly wait. Kills, cuts and real editors of a check need the processor when they do not. */
const WAITING_JOBS = process.env['CI'] === 'true' ? 1 : 2;
/** A worker that is kept alive after its last test reports it after 20 seconds. */
const END_MS = 30_000;

interface Worker {
  readonly process: ChildProcess;
  readonly over: Promise<number | null>;
  file: string | null;
  /** Title of the running test. */
  current: string;
  settle: ((result: FileResult) => void) | null;
  /** Its end is reported already. */
  isFailed: boolean;
}

export interface Pool {
  /**
   * Runs all files, the first ones first; resolves when every worker has ended. `waiting`: those of them that mostly wait, for
   * which there are more workers. `onTail`: called once the others have all begun.
   */
  run(files: readonly string[], waiting?: ReadonlySet<string>, onTail?: () => void): Promise<void>;
  /** Ends all workers now; `run` then resolves. */
  stop(): void;
}

export function createPool(options: PoolOptions, listener: PoolListener): Pool {
  const { jobs, grep, timeout, megabytes = MEGABYTES, patience = PATIENCE_MS, node, env } = options;
  const path = process.env['PATH'] ?? '';
  const workers = new Set<Worker>();
  let isStopped = false;

  function startWorker(): Worker {
    const child = fork(WORKER, {
      env: {
        ...process.env,
        [WORKER_VARIABLE]: '1',
        ...(node !== undefined && { PATH: `${dirname(node)}${delimiter}${path}` }),
        ...env,
      },
      execPath: node ?? process.execPath,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: WORKER_OPTIONS,
      // A process group of its own, so that the programs of its tests end with it.
      detached: true,
    });
    const worker: Worker = {
      process: child,
      over: new Promise((resolve) => child.once('close', resolve)),
      file: null,
      current: '',
      settle: null,
      isFailed: false,
    };
    child.on('message', (events: FromWorker) => events.forEach((event) => receive(worker, event)));
    child.on('error', () => undefined);
    void worker.over.then((code) => {
      workers.delete(worker);
      if (!isStopped && worker.settle !== null) fail(worker, `the test process ended with code ${String(code)}`);
    });
    workers.add(worker);
    return worker;
  }

  function receive(worker: Worker, message: WorkerEvent): void {
    const file = worker.file ?? '';
    if (message.type === 'begin') worker.current = message.title;
    else if (message.type === 'test') listener.onTest(file, message.state, message.title, message.ms);
    else if (message.type === 'skip') listener.onSkip(file, message.reason);
    else if (message.type === 'failure') listener.onFailure(file, message.failure);
    else if (message.type === 'done') worker.settle?.(message.result);
    else void findServer(message.name).then((reply) => post(worker, reply));
  }

  const post = (worker: Worker, message: ToWorker): void => {
    if (worker.process.connected) worker.process.send(message);
  };

  function fail(worker: Worker, text: string): void {
    worker.isFailed = true;
    const title = worker.current === '' ? `loading ${worker.file ?? ''}` : worker.current;
    listener.onFailure(worker.file ?? '', { title, text });
    listener.onTest(worker.file ?? '', 'failed', title, 0);
    worker.settle?.({ passed: 0, failed: 1, skipped: 0, seconds: 0, cpu: 0, megabytes: 0 });
  }

  async function runFile(worker: Worker, file: string): Promise<FileResult> {
    const result = new Promise<FileResult>((resolve) => (worker.settle = resolve));
    [worker.file, worker.current] = [file, ''];
    const timer = setTimeout(
      () => {
        fail(worker, `the file was not over after ${patience / 1000} seconds; this was running`);
        killWorker(worker);
      },
      patience === 0 ? 2 ** 31 - 1 : patience,
    );
    const message: RunFile = { type: 'run', file, grep, timeout };
    post(worker, message);
    const value = await result;
    clearTimeout(timer);
    worker.settle = null;
    if (!isStopped) listener.onFileDone(file, value);
    return value;
  }

  async function endWorker(worker: Worker): Promise<void> {
    post(worker, { type: 'end' });
    const timer = setTimeout(() => killWorker(worker), END_MS);
    const code = await worker.over;
    clearTimeout(timer);
    if (code === 0 || isStopped || worker.isFailed) return;
    const text = `the test process did not end by itself (code ${String(code)}); its last file was this one`;
    listener.onFailure(worker.file ?? '', { title: 'end of the test process', text });
    listener.onTest(worker.file ?? '', 'failed', 'end of the test process', 0);
  }

  async function runWorker(next: () => string | undefined): Promise<void> {
    let worker: Worker | undefined;
    for (let file = next(); file !== undefined && !isStopped; file = next()) {
      worker ??= startWorker();
      const result = await runFile(worker, file);
      if (workers.has(worker) && !worker.process.killed && result.megabytes < megabytes) continue;
      await endWorker(worker);
      worker = undefined;
    }
    if (worker !== undefined) await endWorker(worker);
  }

  return {
    async run(files, waiting = new Set(), onTail = () => undefined) {
      const busy = files.filter((file) => !waiting.has(file));
      const idle = files.filter((file) => waiting.has(file));
      let isTail = false;
      const takeFile = (): string | undefined => {
        if (busy.length === 0 && !isTail) {
          isTail = true;
          onTail();
        }
        return busy.shift() ?? idle.shift();
      };
      const workers = Array.from({ length: Math.min(jobs, files.length) }, () => runWorker(takeFile));
      const spare = files.length > jobs ? Math.min(WAITING_JOBS, idle.length) : 0;
      for (let count = 0; count < spare; count++) workers.push(runWorker(() => idle.shift()));
      await Promise.all(workers);
    },
    stop() {
      isStopped = true;
      for (const worker of workers) {
        killWorker(worker);
        worker.settle?.({ passed: 0, failed: 0, skipped: 0, seconds: 0, cpu: 0, megabytes: 0 });
      }
    },
  };
}
