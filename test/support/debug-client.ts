/** A client of the Debug Adapter Protocol, like an editor: it communicates with `lintel dap` over two streams. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { main } from '../../cli/main.js';
import { bareEnv } from './child.js';
import { PATIENCE_MS } from './until.js';

type Body = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;

export interface DebugClient {
  /** Rejects with the message of the adapter. */
  request<T = Body>(command: string, args?: Arguments): Promise<T>;
  /** The next event of this name that was not waited for yet. */
  waitForEvent(name: string): Promise<Body>;
  /** The next stop, with its stack. */
  waitForStop(): Promise<StoppedThread>;
  /** `initialize`, then `launch` or `attach`, breakpoints by file, and the rest of what an editor sends. */
  start(
    command: 'launch' | 'attach',
    args: Arguments,
    breakpoints?: FileBreakpoints,
    caught?: Arguments,
  ): Promise<void>;
  /** All text of the debug console. */
  output(): string;
  /** As an editor that is killed. */
  cutOff(): void;
  readonly ended: Promise<number>;
}

export type FileBreakpoints = Readonly<Record<string, readonly DebugProtocol.SourceBreakpoint[]>>;

export interface StoppedThread {
  readonly thread: number;
  readonly reason: string;
  readonly body: Body;
  readonly frames: readonly DebugProtocol.StackFrame[];
  /** The place on top: `transfer#2 · before`. */
  readonly at: string;
}

interface Streams {
  readonly input: Writable;
  readonly output: Readable;
  readonly ended: Promise<number>;
}

/** `lintel dap` in this process. */
export function hostAdapter(cwd: string): DebugClient {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const terminal = {
    ...{ cwd, env: bareEnv(), stdin: input, stdout: output, stderr: new PassThrough().resume() },
    signals: { on: () => undefined, off: () => undefined },
    exit: () => undefined,
  };
  return createDebugClient({ input, output, ended: main(['dap'], terminal) });
}

export function createDebugClient({ input, output, ended }: Streams): DebugClient {
  const pending = new Map<number, { resolve: (body: never) => void; reject: (error: Error) => void }>();
  const events: DebugProtocol.Event[] = [];
  const listeners = new Set<() => void>();
  let printed = '';
  let seq = 0;
  let rest = '';

  function receive(message: DebugProtocol.ProtocolMessage): void {
    if (message.type === 'event') {
      const event = message as DebugProtocol.Event;
      if (event.event === 'output') printed += (event.body as { output: string }).output;
      events.push(event);
      for (const listener of listeners) listener();
      return;
    }
    const {
      request_seq: request,
      success,
      body,
      message: reason,
      command,
    } = message as Omit<DebugProtocol.Response, 'body'> & {
      readonly body: unknown;
    };
    const waiting = pending.get(request);
    pending.delete(request);
    if (success) waiting?.resolve(body as never);
    else waiting?.reject(new Error(`${command}: ${reason ?? ''}`));
  }

  output.setEncoding('latin1').on('data', (text: string) => {
    rest += text;
    for (;;) {
      const [head, length = ''] = /^Content-Length: (\d+)\r\n\r\n/.exec(rest) ?? [];
      if (head === undefined || rest.length < head.length + Number(length)) return;
      const json = rest.slice(head.length, head.length + Number(length));
      rest = rest.slice(head.length + Number(length));
      receive(JSON.parse(Buffer.from(json, 'latin1').toString()) as DebugProtocol.ProtocolMessage);
    }
  });

  const client: DebugClient = {
    ended,
    output: () => printed,
    cutOff: () => void input.end(),
    request(command, args) {
      if (input.writableEnded) return Promise.reject(new Error('the connection has ended'));
      const json = JSON.stringify({ seq: ++seq, type: 'request', command, arguments: args });
      // Streams of this process may pass the response on at once.
      return new Promise((resolve, reject) => {
        pending.set(seq, { resolve, reject });
        input.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
      });
    },
    waitForEvent(name) {
      return new Promise((resolve, reject) => {
        const take = (): void => {
          const at = events.findIndex(({ event }) => event === name);
          if (at === -1) return;
          clearTimeout(timer);
          listeners.delete(take);
          resolve((events.splice(at, 1)[0]?.body ?? {}) as Body);
        };
        const timer = setTimeout(() => reject(new Error(`no event ${name}: ${printed}`)), PATIENCE_MS);
        listeners.add(take);
        take();
      });
    },
    async waitForStop() {
      const body = await client.waitForEvent('stopped');
      const thread = Number(body['threadId']);
      const { stackFrames } = await client.request<DebugProtocol.StackTraceResponse['body']>('stackTrace', {
        threadId: thread,
      });
      return { thread, body, frames: stackFrames, reason: String(body['reason']), at: stackFrames[0]?.name ?? '' };
    },
    async start(command, args, breakpoints = {}, caught = { filters: [] }) {
      await client.request('initialize', { adapterID: 'lintel', pathFormat: 'path' });
      await client.request(command, args);
      await client.waitForEvent('initialized');
      for (const [path, list] of Object.entries(breakpoints))
        await client.request('setBreakpoints', { source: { path }, breakpoints: list });
      await client.request('setExceptionBreakpoints', caught);
      await client.request('configurationDone');
    },
  };
  return client;
}
