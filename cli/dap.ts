/**
 * `lintel dap`: the debug adapter of editors. It starts `lintel dev --debug` or `lintel test --debug`, or finds a
 * running one, and passes messages on.
 */
import { DebugSession, ExitedEvent, OutputEvent, Response, TerminatedEvent } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { spawn, type ChildProcess } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { execPath } from 'node:process';
import { CAPABILITIES } from './debug/capabilities.js';
import { readDebugAddress, type DebuggedCommand } from './debug/listener.js';
import { LOOPBACK, type LoopbackAddress } from './loopback-address.js';
import type { CommandOptions } from './options.js';
import type { Output, Terminal } from './terminal.js';
import { findPackageFolder } from '../language/project/package-folder.js';

interface LaunchArguments extends DebugProtocol.LaunchRequestArguments {
  /** The folder of the project; default: the working directory. */
  readonly cwd?: string;
  readonly config?: string;
  /** The file of test cases, or a folder of them; true: all. Without it `lintel dev` is debugged. */
  readonly test?: string | boolean;
  /** Text in the names of the cases. */
  readonly filter?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Begin extends DebugProtocol.Request {
  readonly arguments?: LaunchArguments;
}

/** Reads the messages of one side. */
class MessageReader extends DebugSession {
  constructor(private readonly receive: (message: DebugProtocol.ProtocolMessage) => void) {
    super();
    this.setRunAsServer(true);
  }

  override handleMessage(message: DebugProtocol.ProtocolMessage): void {
    this.receive(message);
  }

  reject(request: DebugProtocol.Request, text: string): void {
    this.sendErrorResponse(new Response(request), { id: 3, format: text.replaceAll(/[{}]/g, ' '), showUser: true });
  }
}

const PROGRAM = 'dist/bundle/cli.js';
/** After this line `--debug` accepts a debugger. */
const READY = /^debugger at \S+:\d+$/m;
/** Milliseconds in which the server ends active requests. */
const PATIENCE = 5000;

export function runDap({ config }: CommandOptions, terminal: Terminal): Promise<number> {
  if (terminal.stdin.isTTY === true) {
    terminal.stderr.write('`lintel dap` is started by an editor and communicates over the standard streams.\n');
    return Promise.resolve(2);
  }
  return new Promise((done) =>
    relayMessages(terminal, config, () => {
      // An input that is read keeps the process alive.
      terminal.stdin.pause();
      done(0);
    }),
  );
}

function relayMessages(terminal: Terminal, config: string | undefined, done: () => void): void {
  let first: object = {};
  let begun: Begin | null = null;
  let socket: Socket | null = null;
  let child: ChildProcess | null = null;
  let isOver = false;

  const client = new MessageReader((message) => {
    if (message.type === 'request') void receiveRequest(message as DebugProtocol.Request);
  });

  async function receiveRequest(request: DebugProtocol.Request): Promise<void> {
    const { command } = request;
    const response: DebugProtocol.Response = new Response(request);
    if (command === 'initialize') {
      first = request.arguments as object;
      response.body = CAPABILITIES;
      client.sendResponse(response);
    } else if ((command === 'launch' || command === 'attach') && begun === null) await begin(request);
    else if (command === 'disconnect') await disconnect(request, response);
    else if (socket !== null) writeMessage(socket, request);
    else client.reject(request, 'No server is debugged: send `launch` or `attach` first.');
  }

  async function begin(request: Begin): Promise<void> {
    begun = request;
    const { arguments: { cwd = terminal.cwd, config: file = config, env = {} } = {} } = request;
    const command = isTest(request.arguments) ? 'test' : 'dev';
    const options = { folder: resolve(terminal.cwd, cwd), config: file, env: { ...terminal.env, ...env } };
    try {
      if (request.command === 'launch') await launchServer(options, listWords(command, request.arguments));
      const folder = options.config === undefined ? options.folder : dirname(resolve(options.folder, options.config));
      const address = await readDebugAddress(folder, command);
      if (address === null)
        throw new Error(`${WAITING[command]} waits for a debugger in ${folder}: start \`lintel ${command} --debug\`.`);
      connectTo(address, request);
    } catch (error) {
      begun = null;
      client.reject(request, (error as Error).message);
    }
  }

  function launchServer({ folder, config: file, env }: ServerOptions, given: readonly string[]): Promise<void> {
    const program = join(findPackageFolder(import.meta.url), PROGRAM);
    const words = [program, ...given, ...(file === undefined ? [] : ['--config', file])];
    const started = spawn(execPath, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    return new Promise((ready, failed) => {
      let printed = '';
      for (const name of ['stdout', 'stderr'] as const)
        started[name].setEncoding('utf8').on('data', (text: string) => {
          // What `dev` says to people goes to stderr, and editors show that category as errors.
          client.sendEvent(new OutputEvent(text, name === 'stderr' ? 'console' : name));
          printed = `${printed}${text}`.slice(-10_000);
          if (READY.test(printed)) ready();
        });
      started.once('error', failed);
      started.once('close', (code) => {
        failed(new Error(`\`lintel ${given[0]}\` has ended with code ${code ?? 'none'}: its output shows why.`));
        child = null;
        if (isOver) return;
        client.sendEvent(new ExitedEvent(code ?? 1));
        client.sendEvent(new TerminatedEvent());
      });
    });
  }

  function connectTo({ port, token }: LoopbackAddress, request: Begin): void {
    const opened = connect(port, LOOPBACK);
    socket = opened;
    const server = new MessageReader((message) => passOn(message, request));
    server.start(opened, opened);
    opened.once('error', () =>
      client.reject(request, 'What waited for a debugger has ended: start it again with `--debug`.'),
    );
    opened.once('close', () => {
      socket = null;
      if (!isOver && child === null) client.sendEvent(new TerminatedEvent());
    });
    writeMessage(opened, {
      seq: OWN,
      type: 'request',
      command: 'initialize',
      arguments: { pathFormat: 'path', ...first },
    });
    writeMessage(opened, { ...request, command: 'attach', arguments: { ...request.arguments, token } });
  }

  /** The editor knows `attach` as what it has sent. */
  function passOn(message: DebugProtocol.ProtocolMessage, { seq, command }: Begin): void {
    if (message.type === 'event') return client.sendEvent(message as DebugProtocol.Event);
    const response = { ...message, seq: 0 } as DebugProtocol.Response;
    if (response.request_seq === OWN) return;
    if (response.request_seq === seq) response.command = command;
    client.sendResponse(response);
  }

  /** Ends a server that the session has started, and no other. */
  async function disconnect(request: DebugProtocol.Request, response: DebugProtocol.Response): Promise<void> {
    const { terminateDebuggee = begun?.command === 'launch' } = (request.arguments ??
      {}) as DebugProtocol.DisconnectArguments;
    isOver = true;
    if (socket !== null) {
      const closed = new Promise((resolve) => socket?.once('close', resolve));
      writeMessage(socket, { seq: OWN, type: 'request', command: 'disconnect', arguments: { terminateDebuggee } });
      await closed;
    }
    if (terminateDebuggee) await endChild(child);
    client.sendResponse(response);
    done();
  }

  /** The editor has gone: requests that are stopped end with a problem. */
  async function cutOff(): Promise<void> {
    if (isOver) return;
    isOver = true;
    socket?.destroy();
    await endChild(child);
    done();
  }

  terminal.stdin.once('end', () => void cutOff()).once('close', () => void cutOff());
  client.start(terminal.stdin, terminal.stdout);
}

const isTest = ({ test, filter }: LaunchArguments = {}): boolean => Boolean(test) || filter !== undefined;

const WAITING: Readonly<Record<DebuggedCommand, string>> = { dev: 'No server', test: 'No test' };

const listWords = (command: DebuggedCommand, { test, filter }: LaunchArguments = {}): string[] =>
  command === 'dev'
    ? ['dev', '--debug']
    : [
        ...['test', '--debug', '--trust'],
        ...(typeof test === 'string' ? [test] : []),
        ...(filter === undefined ? [] : ['--filter', filter]),
      ];

/** The number of requests of the adapter itself. */
const OWN = -1;

interface ServerOptions {
  readonly folder: string;
  readonly config: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

function writeMessage(stream: Output | Socket, message: object): void {
  const text = JSON.stringify(message);
  stream.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

async function endChild(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
  await ended;
  clearTimeout(timer);
}
