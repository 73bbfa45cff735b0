/**
 * A process with scratch stores and a compiler for one project, so that this one stays free. It starts with the first
 * question, and again after its end.
 */
import { fork, type ChildProcess } from 'node:child_process';
import type { PluginId } from '../../contract/plugin.js';
import type { Problem } from '../../contract/problem.js';
import type { Scratch, StatementAnswer } from '../../contract/statement-check.js';
import {
  LONG_REQUEST,
  SCRATCH_PROTOCOL,
  type ProjectTexts,
  type ScratchReply,
  type ScratchRequest,
  type SettingsRequest,
} from './scratch-messages.js';

/** Milliseconds for a reply, or for the start of the engine. Scripts of a project may run without end. */
const PATIENCE = 60_000;
/** Megabytes of JavaScript's heap; the engine's memory is apart. */
const MAX_MEMORY = 512;

/** The process ended, which is reported apart. */
export class ScratchProcessEnd extends Error {}

export interface ScratchProcess {
  /** Begins to open the store at once. */
  openScratch(plugin: PluginId): Scratch;
  /** Compiles, and returns what would stop a start. */
  checkSettings(texts: ProjectTexts): Promise<readonly Problem[]>;
  close(): void;
}

type Answer = Exclude<ScratchReply, { readonly error: string }>;
/** Of each member of the union. */
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
type Request = ScratchRequest | SettingsRequest;

interface PendingReply {
  readonly resolve: (reply: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

interface ScratchProcessOptions {
  /** The compiled `cli/scratch-worker.ts` of some version. */
  readonly worker: string;
  readonly folder: string;
  /** Other processes come first. */
  readonly isPatient: boolean;
  /** Called when the process ends by itself, with the reason. */
  readonly onEnd: (what: string) => void;
}

/** Processes of closed projects, for the next one: the engine takes most of the time. Off outside of tests. */
const free: { readonly key: string; readonly child: ChildProcess }[] = [];
let isReused = false;

/** For programs that check one project after another. */
export function reuseScratchProcesses(): void {
  isReused = true;
}

export function createScratchProcess({ worker, folder, isPatient, onEnd }: ScratchProcessOptions): ScratchProcess {
  let child: ChildProcess | null = null;
  let last = 0;
  const key = `${worker} ${isPatient}`;
  const pending = new Map<number, PendingReply>();

  function takePending(id: number): PendingReply | undefined {
    const found = pending.get(id);
    clearTimeout(found?.timer);
    pending.delete(id);
    return found;
  }

  function rejectPending(): void {
    for (const id of [...pending.keys()]) takePending(id)?.reject(new ScratchProcessEnd());
  }

  function takeFree(): ChildProcess | undefined {
    const index = free.findIndex((one) => one.key === key);
    return index === -1 ? undefined : free.splice(index, 1)[0]?.child;
  }

  function start(): ChildProcess {
    const started =
      takeFree() ??
      fork(worker, [SCRATCH_PROTOCOL, ...(isPatient ? [LONG_REQUEST] : [])], {
        cwd: folder,
        // Makes an editor's Electron binary behave as Node.
        env: { ELECTRON_RUN_AS_NODE: '1' },
        execArgv: [`--max-old-space-size=${MAX_MEMORY}`],
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      });
    let output = '';
    started.stderr?.setEncoding('utf8').on('data', (text: string) => (output = `${output}${text}`.slice(0, 300)));
    const settleEnd = (what: string | null): void => {
      if (child !== started) return;
      child = null;
      if (what !== null) onEnd(what);
      rejectPending();
    };
    started.once('error', (error) => settleEnd(error.message));
    // Without questions it ends by itself, with code 0.
    started.once('exit', (code, signal) =>
      settleEnd(code === 0 ? null : (firstLine(output) ?? signal ?? `exit code ${code}`)),
    );
    started.on('message', (reply: ScratchReply) => {
      const waiting = takePending(reply.id);
      if ('error' in reply) waiting?.reject(new Error(reply.error));
      else waiting?.resolve(reply);
    });
    // Neither it nor its pipes keep this process alive.
    started.unref();
    started.channel?.unref();
    (started.stderr as { readonly unref?: () => void } | null)?.unref?.();
    return started;
  }

  const sendRequest = (request: WithoutId<Request>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asked = (child ??= start());
      const id = ++last;
      const timer = setTimeout(() => asked.kill('SIGKILL'), PATIENCE);
      pending.set(id, { resolve, reject, timer });
      // If it cannot be sent, the process ends, which rejects the question.
      asked.send({ ...request, id } satisfies Request, () => undefined);
    });

  async function checkStatements(request: WithoutId<ScratchRequest>): Promise<readonly StatementAnswer[]> {
    const reply = await sendRequest(request);
    return 'answers' in reply ? reply.answers : [];
  }

  return {
    openScratch(plugin) {
      // The first question fails too if it cannot be opened.
      sendRequest({ plugin, trial: null }).catch(() => undefined);
      return { checkStatements: (trial) => checkStatements({ plugin, trial }), close: () => Promise.resolve() };
    },
    async checkSettings(texts) {
      const reply = await sendRequest({ texts });
      return 'problems' in reply ? reply.problems : [];
    },
    close() {
      const ended = child;
      child = null;
      if (ended !== null && isReused && pending.size === 0) {
        for (const emitter of [ended, ended.stderr]) emitter?.removeAllListeners();
        free.push({ key, child: ended });
        return;
      }
      ended?.kill('SIGKILL');
      rejectPending();
    },
  };
}

const firstLine = (text: string): string | null => /^.+/.exec(text)?.[0] ?? null;
