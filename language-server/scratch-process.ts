/**
 * A process with scratch stores for one project, so that the server stays free while statements are checked. It is started with
 * the first question, and again after its end; it ends with the server.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PluginId } from '../contract/plugin.js';
import type { Scratch, StatementAnswer } from '../contract/statement-check.js';
import { SCRATCH_PROTOCOL, type ScratchReply, type ScratchRequest } from '../language/project/scratch-messages.js';

/** Milliseconds for a reply; the first one includes the start of the engine. Scripts of a project may run without end. */
const PATIENCE = 60_000;
/** Megabytes of JavaScript's heap; the engine's memory is apart. */
const MAX_MEMORY = 512;
const WORKER = 'kernel/runtime/scratch-worker.js';

/** The process ended, which is reported apart. */
export class ScratchProcessEnd extends Error {}

export interface ScratchProcess {
  openScratch(plugin: PluginId): Scratch;
  close(): void;
}

/** The worker of this package, or that of the `lintel` that the project has installed; null if there is none. */
export function findScratchWorker(folder: string): string | null {
  const own = fileURLToPath(new URL(`../${WORKER}`, import.meta.url));
  if (existsSync(own)) return own;
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, 'node_modules/lintel/dist', WORKER);
    if (existsSync(file)) return file;
    if (dirname(at) === at) return null;
  }
}

interface PendingReply {
  readonly resolve: (answers: readonly StatementAnswer[]) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** `onEnd`: called when the process ends by itself, with the reason. */
export function createScratchProcess(worker: string, folder: string, onEnd: (what: string) => void): ScratchProcess {
  let child: ChildProcess | null = null;
  let last = 0;
  const pending = new Map<number, PendingReply>();

  function takePending(id: number): PendingReply | undefined {
    const found = pending.get(id);
    clearTimeout(found?.timer);
    pending.delete(id);
    return found;
  }

  function start(): ChildProcess {
    const started = fork(worker, [SCRATCH_PROTOCOL], {
      cwd: folder,
      // Makes an editor's Electron binary behave as Node.
      env: { ELECTRON_RUN_AS_NODE: '1' },
      execArgv: [`--max-old-space-size=${MAX_MEMORY}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let said = '';
    started.stderr?.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(0, 300)));
    const settleEnd = (what: string | null): void => {
      if (child !== started) return;
      child = null;
      if (what !== null) onEnd(what);
      for (const id of [...pending.keys()]) takePending(id)?.reject(new ScratchProcessEnd());
    };
    started.once('error', (error) => settleEnd(error.message));
    // Without questions it ends by itself, with code 0.
    started.once('exit', (code, signal) =>
      settleEnd(code === 0 ? null : (firstLine(said) ?? signal ?? `exit code ${code}`)),
    );
    started.on('message', (reply: ScratchReply) => {
      const waiting = takePending(reply.id);
      if ('error' in reply) waiting?.reject(new Error(reply.error));
      else waiting?.resolve(reply.answers);
    });
    // Neither it nor its pipes keep this process alive.
    started.unref();
    started.channel?.unref();
    (started.stderr as { readonly unref?: () => void } | null)?.unref?.();
    return started;
  }

  const sendRequest = (request: Omit<ScratchRequest, 'id'>): Promise<readonly StatementAnswer[]> =>
    new Promise((resolve, reject) => {
      const asked = (child ??= start());
      const id = ++last;
      const timer = setTimeout(() => asked.kill('SIGKILL'), PATIENCE);
      pending.set(id, { resolve, reject, timer });
      // If it cannot be sent, the process has ended or is about to, which rejects the question.
      asked.send({ ...request, id } satisfies ScratchRequest, () => undefined);
    });

  return {
    openScratch: (plugin) => ({
      checkStatements: (trial) => sendRequest({ plugin, trial }),
      close: () => Promise.resolve(),
    }),
    close() {
      const ended = child;
      child = null;
      ended?.kill('SIGKILL');
    },
  };
}

const firstLine = (text: string): string | null => /^.+/.exec(text)?.[0] ?? null;
