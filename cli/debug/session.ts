/** One client of the Debug Adapter Protocol, in the process that serves. */
import {
  BreakpointEvent,
  DebugSession,
  InitializedEvent,
  OutputEvent,
  Source,
  StoppedEvent,
  ThreadEvent,
} from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { timingSafeEqual } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { ensureFault } from '../../contract/fault.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import type { Breakpoint } from './breakpoints.js';
import { attachDebugger, type Debugger } from './debugger.js';
import { compileExpression, ExpressionError } from './expression.js';
import { CAPABILITIES } from './capabilities.js';
import { createFaultFilter, describeFault } from './faults.js';
import type { Place, SourceSpot } from './places.js';
import { isStatement, readRows } from './read-rows.js';
import { changePayload, parseNewValue } from './scopes.js';
import { collectFrameSecrets } from './secrets.js';
import { buildStack, describeThread } from './stack.js';
import { SERVER_THREAD, type DebugThread, type StepMode, type Stop } from './threads.js';
import { createVariableTree, type ValueNode, type VariableTree } from './variables.js';

export interface SessionInput {
  readonly kernel: Kernel;
  /** What the client has to send. */
  readonly token: string;
  /** False: another client is attached. */
  readonly claim: () => boolean;
}

interface StackEntry {
  readonly thread: DebugThread;
  readonly stop: Stop;
  readonly place: Place;
  readonly isTop: boolean;
}

const OTHER_CLIENT =
  'Another debugger is attached to this server. Disconnect it first: one at a time can stop requests.';
const WRONG_TOKEN =
  'The token is not that of this server: start the debugger with `lintel dap`, in the folder of the project.';

const ATTACH_FIRST = 'Attach first.';

export class LintelDebugSession extends DebugSession {
  #debugger: Debugger | null = null;
  #variables: VariableTree = createVariableTree(() => this.#attached().mask());
  #frames = new Map<number, StackEntry>();
  #lastFrame = 0;

  constructor(private readonly input: SessionInput) {
    super();
    this.setRunAsServer(true);
    this.setDebuggerLinesStartAt1(false);
    this.setDebuggerColumnsStartAt1(false);
  }

  /** The connection has ended. */
  async cutOff(): Promise<void> {
    await this.#debugger?.detach('cut');
    this.#debugger = null;
  }

  #attached(): Debugger {
    if (this.#debugger === null) throw new ExpressionError(ATTACH_FIRST);
    return this.#debugger;
  }

  protected override dispatchRequest(request: DebugProtocol.Request): void {
    const isEarly = ['initialize', 'attach', 'disconnect'].includes(request.command);
    if (!isEarly && this.#debugger === null) {
      const response = { seq: 0, type: 'response', request_seq: request.seq, command: request.command, success: false };
      this.sendErrorResponse(response, { id: 1, format: ATTACH_FIRST });
    } else super.dispatchRequest(request);
  }

  /** Answers what `work` returns, or why it fails. */
  #answer<T extends DebugProtocol.Response>(response: T, work: () => Promise<T['body']> | T['body']): void {
    void (async () => {
      try {
        response.body = await work();
        this.sendResponse(response);
      } catch (error) {
        const text = error instanceof ExpressionError ? error.message : describeError(error);
        this.sendErrorResponse(response, { id: 2, format: text.replaceAll(/[{}]/g, ' '), showUser: false });
      }
    })();
  }

  protected override initializeRequest(response: DebugProtocol.InitializeResponse): void {
    response.body = CAPABILITIES;
    this.sendResponse(response);
  }

  protected override attachRequest(response: DebugProtocol.AttachResponse, args: AttachArguments): void {
    this.#answer(response, async () => {
      const { token, claim, kernel } = this.input;
      if (!isSameText(args.token ?? '', token)) throw new ExpressionError(WRONG_TOKEN);
      if (!claim()) throw new ExpressionError(OTHER_CLIENT);
      this.#debugger = await attachDebugger(
        kernel,
        { stopOnEntry: args.stopOnEntry === true, showSecrets: args.showSecrets === true },
        {
          onStart: ({ id }) => this.sendEvent(new ThreadEvent('started', id)),
          onEnd: ({ id }) => this.#endThread(id),
          onStop: (thread, stop) => this.#reportStop(thread, stop),
          onMove: (moved) => {
            for (const one of moved) this.sendEvent(new BreakpointEvent('changed', this.#toBreakpoint(one)));
          },
          onLog: ({ logs }) => {
            for (const { text, target } of logs) this.#log(text, target.spot);
          },
        },
      );
      setImmediate(() => this.sendEvent(new InitializedEvent()));
    });
  }

  protected override configurationDoneRequest(response: DebugProtocol.ConfigurationDoneResponse): void {
    this.sendResponse(response);
  }

  /** Requests go on, unless the server is to end. */
  protected override disconnectRequest(
    response: DebugProtocol.DisconnectResponse,
    args: DebugProtocol.DisconnectArguments,
  ): void {
    this.#answer(response, async () => {
      await this.#debugger?.detach(args?.terminateDebuggee === true ? 'cut' : 'go on');
      this.#debugger = null;
      setImmediate(() => this.stop());
    });
  }

  protected override setBreakPointsRequest(
    response: DebugProtocol.SetBreakpointsResponse,
    { source, breakpoints = [] }: DebugProtocol.SetBreakpointsArguments,
  ): void {
    this.#answer(response, () => {
      const { breakpoints: own, definitions } = this.#attached();
      const wanted = breakpoints.map(({ line, column, condition, hitCondition, logMessage }) => ({
        ...{ condition, hitCondition, logMessage, line: this.convertClientLineToDebugger(line) },
        column: column === undefined ? undefined : this.convertClientColumnToDebugger(column),
      }));
      const set = own.set(resolve(source.path ?? ''), wanted, definitions());
      return { breakpoints: set.map((one) => this.#toBreakpoint(one)) };
    });
  }

  protected override setExceptionBreakPointsRequest(
    response: DebugProtocol.SetExceptionBreakpointsResponse,
    args: DebugProtocol.SetExceptionBreakpointsArguments,
  ): void {
    this.#answer(response, () => {
      const { kernel, catchFaults } = this.#attached();
      catchFaults(createFaultFilter(args, (fault) => kernel.running.getStatus(fault)));
      return {};
    });
  }

  protected override threadsRequest(response: DebugProtocol.ThreadsResponse): void {
    this.#answer(response, () => {
      const { threads, kernel } = this.#attached();
      const server = { id: SERVER_THREAD, name: 'lintel dev' };
      return { threads: [server, ...threads.list().map((one) => ({ id: one.id, name: describeThread(one, kernel) }))] };
    });
  }

  protected override stackTraceRequest(
    response: DebugProtocol.StackTraceResponse,
    { threadId, startFrame = 0, levels = 0 }: DebugProtocol.StackTraceArguments,
  ): void {
    this.#answer(response, () => {
      const debug = this.#attached();
      const thread = debug.threads.find(threadId);
      const stop = thread?.stop;
      if (thread === undefined || !stop) throw new ExpressionError('This thread is not stopped.');
      const stack = buildStack(debug, thread, stop);
      const end = levels === 0 ? stack.length : startFrame + levels;
      const stackFrames = stack.slice(startFrame, end).map(({ name, place, spot, isTop }) => {
        this.#frames.set(++this.#lastFrame, { thread, stop, place, isTop });
        return { id: this.#lastFrame, name, ...this.#toLocation(spot) };
      });
      return { stackFrames, totalFrames: stack.length };
    });
  }

  protected override scopesRequest(
    response: DebugProtocol.ScopesResponse,
    { frameId }: DebugProtocol.ScopesArguments,
  ): void {
    this.#answer(response, () => {
      const { stop, place, isTop, thread } = this.#findFrame(frameId);
      const { scopes } = this.#attached();
      const context = this.#createContext(thread, stop);
      const all = scopes.listScopes(stop.reached, place, isTop).map(({ name, value, isPayload, root }) => {
        const node = { value, context, expression: root, payloadPath: isPayload ? [] : null };
        return { name, variablesReference: this.#variables.add(node), expensive: false };
      });
      return { scopes: all };
    });
  }

  protected override variablesRequest(
    response: DebugProtocol.VariablesResponse,
    { variablesReference, start, count }: DebugProtocol.VariablesArguments,
  ): void {
    this.#answer(response, () => {
      const node = this.#variables.find(variablesReference);
      return {
        variables: node === undefined ? [] : this.#variables.listChildren(node, start, count === 0 ? undefined : count),
      };
    });
  }

  protected override setVariableRequest(
    response: DebugProtocol.SetVariableResponse,
    { variablesReference, name, value: text }: DebugProtocol.SetVariableArguments,
  ): void {
    this.#answer(response, () => {
      const node = this.#variables.find(variablesReference);
      const stop = node && this.#attached().threads.find(node.context.thread)?.stop;
      if (!node?.payloadPath || !stop) throw new ExpressionError('Only values of the payload can be set.');
      const path = [...node.payloadPath, name];
      const now = (node.value as Readonly<Record<string, unknown>>)[name];
      const value = parseNewValue(text, now);
      changePayload(stop.reached.frame, path, value);
      return this.#variables.show(name, { ...node, value, payloadPath: path });
    });
  }

  protected override evaluateRequest(
    response: DebugProtocol.EvaluateResponse,
    { expression, frameId }: DebugProtocol.EvaluateArguments,
  ): void {
    this.#answer(response, async () => {
      if (frameId === undefined) throw new ExpressionError('Values can be read while a request is stopped.');
      const { stop, place, thread } = this.#findFrame(frameId);
      const debug = this.#attached();
      const value = isStatement(expression)
        ? await readRows(expression, stop.reached, debug)
        : compileExpression(expression)(debug.scopes.createPathReader(stop.reached.frame, place));
      const context = this.#createContext(thread, stop);
      const node: ValueNode = { value, context, expression: null, payloadPath: null };
      const { value: result, ...shown } = this.#variables.show(expression, node);
      return { result, ...shown };
    });
  }

  protected override exceptionInfoRequest(
    response: DebugProtocol.ExceptionInfoResponse,
    { threadId }: DebugProtocol.ExceptionInfoArguments,
  ): void {
    this.#answer(response, () => {
      const { threads, kernel } = this.#attached();
      const fault = threads.find(threadId)?.stop?.fault;
      if (!fault) throw new ExpressionError('This thread is not stopped at a rejection.');
      return describeFault(fault, kernel);
    });
  }

  protected override pauseRequest(
    response: DebugProtocol.PauseResponse,
    { threadId }: DebugProtocol.PauseArguments,
  ): void {
    this.#attached().threads.pause(threadId === SERVER_THREAD ? null : threadId);
    this.sendResponse(response);
  }

  protected override continueRequest(
    response: DebugProtocol.ContinueResponse,
    { threadId }: DebugProtocol.ContinueArguments,
  ): void {
    this.#resume(response, threadId, 'run', { allThreadsContinued: false });
  }

  protected override nextRequest(
    response: DebugProtocol.NextResponse,
    { threadId }: DebugProtocol.NextArguments,
  ): void {
    this.#resume(response, threadId, 'over');
  }

  protected override stepInRequest(
    response: DebugProtocol.StepInResponse,
    { threadId }: DebugProtocol.StepInArguments,
  ): void {
    this.#resume(response, threadId, 'into');
  }

  protected override stepOutRequest(
    response: DebugProtocol.StepOutResponse,
    { threadId }: DebugProtocol.StepOutArguments,
  ): void {
    this.#resume(response, threadId, 'out');
  }

  /** The answer comes first, because a request that goes on may stop again at once. */
  #resume(response: DebugProtocol.Response, threadId: number, mode: StepMode, body?: object): void {
    this.#variables.forget(threadId);
    for (const [id, { thread }] of this.#frames) if (thread.id === threadId) this.#frames.delete(id);
    response.body = body;
    this.sendResponse(response);
    this.#attached().threads.resume(threadId, mode);
  }

  #findFrame(id: number): StackEntry {
    const found = this.#frames.get(id);
    if (found === undefined) throw new ExpressionError('The request has gone on.');
    return found;
  }

  #createContext(thread: DebugThread, { reached: { frame } }: Stop): ValueNode['context'] {
    return { thread: thread.id, secrets: collectFrameSecrets(frame, this.#attached().mask()) };
  }

  #endThread(id: number): void {
    if (this.#debugger === null) return;
    this.#variables.forget(id);
    this.sendEvent(new ThreadEvent('exited', id));
  }

  #reportStop({ id }: DebugThread, { reason, fault, breakpoints }: Stop): void {
    const event: DebugProtocol.StoppedEvent = new StoppedEvent(reason, id, fault?.code);
    event.body = {
      ...event.body,
      allThreadsStopped: false,
      ...(fault !== null && { description: `Stopped at ${fault.code}` }),
      ...(breakpoints.length > 0 && { hitBreakpointIds: [...breakpoints] }),
    };
    this.sendEvent(event);
  }

  #log(text: string, spot: SourceSpot): void {
    const event: DebugProtocol.OutputEvent = new OutputEvent(`${text}\n`, 'console');
    Object.assign(event.body, this.#toLocation(spot));
    this.sendEvent(event);
  }

  #toBreakpoint({ id, target, message }: Breakpoint): DebugProtocol.Breakpoint {
    const location = target === null ? {} : this.#toLocation(target.spot);
    return { id, verified: target !== null, ...(message !== undefined && { message }), ...location };
  }

  #toLocation(spot: SourceSpot | null): { line: number; column: number } & Partial<DebugProtocol.StackFrame> {
    if (spot === null) return { line: 0, column: 0 };
    const { file, range } = spot;
    return {
      source: new Source(basename(file), this.convertDebuggerPathToClient(file)),
      line: this.convertDebuggerLineToClient(range.start.line),
      column: this.convertDebuggerColumnToClient(range.start.character),
      endLine: this.convertDebuggerLineToClient(range.end.line),
      endColumn: this.convertDebuggerColumnToClient(range.end.character),
    };
  }
}

interface AttachArguments extends DebugProtocol.AttachRequestArguments {
  readonly token?: string;
  readonly stopOnEntry?: boolean;
  readonly showSecrets?: boolean;
}

function describeError(error: unknown): string {
  const { code, options } = ensureFault(error);
  return options.cause instanceof Error ? `${code}: ${options.cause.message}` : code;
}

function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
