/** The part of a session in which one client attaches, with the token of the server, and leaves. */
import { DebugSession, InitializedEvent, OutputEvent } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { ensureFault } from '../../contract/fault.js';
import { isSameText } from '../loopback-address.js';
import { CAPABILITIES } from './capabilities.js';
import { attachDebugger, type AttachOptions, type Debugger, type DebuggerEvents } from './debugger.js';
import { ExpressionError } from './expression.js';
import type { DebuggedServer } from './threads.js';

/** `cut`: stopped requests end with a problem. */
export type LeaveMode = 'go on' | 'cut';

export interface SessionInput {
  readonly server: () => DebuggedServer;
  /** What the client has to send. */
  readonly token: string;
  /** False: another client is attached. */
  readonly claim: () => boolean;
  /** The client has set its breakpoints. */
  readonly onReady: () => void;
  readonly onLeave: (how: LeaveMode) => void;
}

interface AttachArguments extends DebugProtocol.AttachRequestArguments {
  readonly token?: string;
  readonly stopOnEntry?: boolean;
  readonly showSecrets?: boolean;
}

const OTHER_CLIENT =
  'Another debugger is attached to this server. Disconnect it first: one at a time can stop requests.';
const WRONG_TOKEN =
  'The token is not that of this server: start the debugger with `lintel dap`, in the folder of the project.';
const ATTACH_FIRST = 'Attach first.';
const ATTACHED = 'debugger attached: requests stop at breakpoints\n';
const EARLY = ['initialize', 'attach', 'disconnect'];

export abstract class AttachingSession extends DebugSession {
  #debugger: Debugger | null = null;
  #options: AttachOptions = { stopOnEntry: false, showSecrets: false };
  #isOver = false;

  constructor(private readonly input: SessionInput) {
    super();
    this.setRunAsServer(true);
    this.setDebuggerLinesStartAt1(false);
    this.setDebuggerColumnsStartAt1(false);
  }

  protected abstract createEvents(): DebuggerEvents;

  /** Throws before a client has attached. */
  protected getDebugger(): Debugger {
    if (this.#debugger === null) throw new ExpressionError(ATTACH_FIRST);
    return this.#debugger;
  }

  protected get isAttached(): boolean {
    return this.#debugger !== null;
  }

  /** The connection has ended. */
  async cutOff(): Promise<void> {
    this.#isOver = true;
    await this.#detach('cut');
  }

  /** To the present server, with the breakpoints that are set. */
  async moveToServer(): Promise<void> {
    const before = this.#debugger;
    if (before === null) return;
    await this.#attach(before);
    await before.detach('go on');
  }

  async #attach(before: Debugger | null): Promise<void> {
    this.#debugger = await attachDebugger(this.input.server(), this.#options, this.createEvents(), before);
    // The client may be gone meanwhile.
    if (this.#isOver) await this.#detach('cut');
  }

  async #detach(how: LeaveMode): Promise<void> {
    const before = this.#debugger;
    this.#debugger = null;
    if (before === null) return;
    this.input.onLeave(how);
    await before.detach(how);
  }

  protected override dispatchRequest(request: DebugProtocol.Request): void {
    if (EARLY.includes(request.command) || this.#debugger !== null) return super.dispatchRequest(request);
    const { seq, command } = request;
    this.sendErrorResponse(
      { seq: 0, type: 'response', request_seq: seq, command, success: false },
      { id: 1, format: ATTACH_FIRST },
    );
  }

  /** Answers what `work` returns, or why it fails. */
  protected answerRequest<T extends DebugProtocol.Response>(
    response: T,
    work: () => Promise<T['body']> | T['body'],
  ): void {
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
    this.answerRequest(response, async () => {
      const { token, claim } = this.input;
      if (!isSameText(args.token ?? '', token)) throw new ExpressionError(WRONG_TOKEN);
      if (this.#debugger !== null || !claim()) throw new ExpressionError(OTHER_CLIENT);
      this.#options = { stopOnEntry: args.stopOnEntry === true, showSecrets: args.showSecrets === true };
      await this.#attach(null);
      setImmediate(() => this.sendEvent(new InitializedEvent()));
    });
  }

  /** `lintel dev` prints its address earlier. */
  protected override configurationDoneRequest(response: DebugProtocol.ConfigurationDoneResponse): void {
    this.sendResponse(response);
    this.sendEvent(new OutputEvent(ATTACHED, 'console'));
    this.input.onReady();
  }

  /** Requests go on, unless the server is to end. */
  protected override disconnectRequest(
    response: DebugProtocol.DisconnectResponse,
    args?: DebugProtocol.DisconnectArguments,
  ): void {
    this.answerRequest(response, async () => {
      await this.#detach(args?.terminateDebuggee === true ? 'cut' : 'go on');
      setImmediate(() => this.stop());
    });
  }
}

function describeError(error: unknown): string {
  const { code, options } = ensureFault(error);
  return options.cause instanceof Error ? `${code}: ${options.cause.message}` : code;
}
