/** One client of the Debug Adapter Protocol, in the process that serves. */
import { BreakpointEvent, OutputEvent, Source, StoppedEvent, ThreadEvent } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { basename, resolve } from 'node:path';
import { AttachingSession } from './attaching-session.js';
import type { Breakpoint } from './breakpoints.js';
import type { DebuggerEvents } from './debugger.js';
import { compileExpression, ExpressionError } from './expression.js';
import { createFaultFilter, describeFault } from './faults.js';
import type { Place, SourceSpot } from './places.js';
import { isStatement, readRows } from './rows.js';
import { changePayload, parseNewValue } from './scopes.js';
import { collectFrameSecrets } from './secrets.js';
import { buildStack, describeThread, SERVER_THREAD, type DebugThread, type StepMode, type Stop } from './threads.js';
import { createVariableTree, type ValueNode, type VariableTree } from './variables.js';

interface StackEntry {
  readonly thread: DebugThread;
  readonly stop: Stop;
  readonly place: Place;
  readonly isTop: boolean;
}

export class LintelDebugSession extends AttachingSession {
  #variables: VariableTree = createVariableTree(() => this.getDebugger().mask());
  #frames = new Map<number, StackEntry>();
  #lastFrame = 0;

  protected override createEvents(): DebuggerEvents {
    return {
      onStart: ({ id }) => this.sendEvent(new ThreadEvent('started', id)),
      onEnd: ({ id }) => this.#endThread(id),
      onStop: (thread, stop) => this.#reportStop(thread, stop),
      onMove: (moved) => {
        for (const one of moved) this.sendEvent(new BreakpointEvent('changed', this.#toBreakpoint(one)));
      },
      onLog: ({ logs }) => {
        for (const { text, target } of logs) this.#log(text, target.spot);
      },
    };
  }

  protected override setBreakPointsRequest(
    response: DebugProtocol.SetBreakpointsResponse,
    { source, breakpoints = [] }: DebugProtocol.SetBreakpointsArguments,
  ): void {
    this.answerRequest(response, () => {
      const { breakpoints: own, definitions } = this.getDebugger();
      const wanted = breakpoints.map(({ line, column, condition, hitCondition, logMessage }) => ({
        condition,
        hitCondition,
        logMessage,
        line: this.convertClientLineToDebugger(line),
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
    this.answerRequest(response, () => {
      const { kernel, catchFaults } = this.getDebugger();
      catchFaults(createFaultFilter(args, (fault) => kernel.running.getStatus(fault)));
      return {};
    });
  }

  protected override threadsRequest(response: DebugProtocol.ThreadsResponse): void {
    this.answerRequest(response, () => {
      const { threads, kernel, serverName } = this.getDebugger();
      const server = { id: SERVER_THREAD, name: serverName };
      return { threads: [server, ...threads.list().map((one) => ({ id: one.id, name: describeThread(one, kernel) }))] };
    });
  }

  protected override stackTraceRequest(
    response: DebugProtocol.StackTraceResponse,
    { threadId, startFrame = 0, levels = 0 }: DebugProtocol.StackTraceArguments,
  ): void {
    this.answerRequest(response, () => {
      const debug = this.getDebugger();
      const thread = debug.threads.find(threadId);
      const stop = thread?.stop;
      if (thread === undefined || !stop) throw new ExpressionError('This thread is not stopped.');
      const stack = buildStack(thread, stop, debug.definitions(), debug.kernel);
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
    this.answerRequest(response, () => {
      const { stop, place, isTop, thread } = this.#findFrame(frameId);
      const { scopes } = this.getDebugger();
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
    this.answerRequest(response, () => {
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
    this.answerRequest(response, () => {
      const node = this.#variables.find(variablesReference);
      const stop = node && this.getDebugger().threads.find(node.context.thread)?.stop;
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
    this.answerRequest(response, async () => {
      if (frameId === undefined) throw new ExpressionError('Values can be read while a request is stopped.');
      const { stop, place, thread } = this.#findFrame(frameId);
      const debug = this.getDebugger();
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
    this.answerRequest(response, () => {
      const { threads, kernel } = this.getDebugger();
      const fault = threads.find(threadId)?.stop?.fault;
      if (!fault) throw new ExpressionError('This thread is not stopped at a rejection.');
      return describeFault(fault, kernel);
    });
  }

  protected override pauseRequest(
    response: DebugProtocol.PauseResponse,
    { threadId }: DebugProtocol.PauseArguments,
  ): void {
    this.getDebugger().threads.pause(threadId === SERVER_THREAD ? null : threadId);
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
    this.#variables.forgetThread(threadId);
    for (const [id, { thread }] of this.#frames) if (thread.id === threadId) this.#frames.delete(id);
    response.body = body;
    this.sendResponse(response);
    this.getDebugger().threads.resume(threadId, mode);
  }

  #findFrame(id: number): StackEntry {
    const found = this.#frames.get(id);
    if (found === undefined) throw new ExpressionError('The request has gone on.');
    return found;
  }

  #createContext(thread: DebugThread, { reached: { frame } }: Stop): ValueNode['context'] {
    return { thread: thread.id, secrets: collectFrameSecrets(frame, this.getDebugger().mask()) };
  }

  #endThread(id: number): void {
    if (!this.isAttached) return;
    this.#variables.forgetThread(id);
    this.sendEvent(new ThreadEvent('exited', id));
  }

  #reportStop({ id }: DebugThread, { reason, fault, breakpoints }: Stop): void {
    const event: DebugProtocol.StoppedEvent = new StoppedEvent(reason, id, fault?.code);
    event.body = {
      ...event.body,
      allThreadsStopped: false,
      ...(fault !== null && { description: `Stopped at ${fault.code}` }),
      ...(breakpoints.length > 0 && { hitBreakpointIds: breakpoints.map(({ id }) => id) }),
    };
    this.sendEvent(event);
  }

  #log(text: string, spot: SourceSpot): void {
    const event: DebugProtocol.OutputEvent = new OutputEvent(`${text}\n`);
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
    // With an end, editors select the whole range.
    return {
      source: new Source(basename(file), this.convertDebuggerPathToClient(file)),
      line: this.convertDebuggerLineToClient(range.start.line),
      column: this.convertDebuggerColumnToClient(range.start.character),
    };
  }
}
