/**
 * What is used of `pg` beyond its public interface; every other file uses `pg` through here. It takes the place of the class
 * `Query`, because `Query` asks for the description of the rows each time, decodes each field into a string and sends each row
 * through two event emitters. With `Query`, a list of fifty rows takes 2.1 times the processor time, a row by key 1.7 times.
 *
 * - of `Client`: `_getActiveQuery` (the statement that a row belongs to), `processID` and `secretKey` (to cancel it)
 * - of `Connection`: `attachListeners` (the bytes of the socket), `stream` (the socket), and the messages of the protocol (`parse` to `sendCopyFail`)
 * - `Client` calls `submit` and `handle...` of what is queried, and pipelines instances of `Query` alone
 *
 * package.json takes patch releases of `pg`. Members that one of them takes away fail at the first connection.
 */
import { EventEmitter } from 'node:events';
import pg from 'pg';
import { createMessageReader, type RowReceiver } from '../shared/message-reader.js';

/** The messages that a statement sends. */
export interface WireConnection {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly (string | null)[] }): void;
  describe(message: { type: 'P' }): void;
  execute(): void;
  close(message: { type: 'S'; name: string }): void;
  sync(): void;
  sendCopyFail(message: string): void;
}

/** What `Client` calls of a statement, in that order. */
export interface SubmittedStatement extends RowReceiver {
  submit(connection: WireConnection): null;
  handleRowDescription(message: { fields: readonly { name: string; dataTypeID: number }[] }): void;
  handleCommandComplete(message: { text: string }): void;
  handleEmptyQuery(): void;
  handleCopyInResponse(connection: WireConnection): void;
  handleError(error: unknown): void;
  handleReadyForQuery(): void;
}

interface InnerClient {
  readonly connection: WireConnection & {
    readonly stream: { destroy(): void; pause(): void; resume(): void };
    attachListeners(stream: EventEmitter): void;
  };
  readonly processID: unknown;
  readonly secretKey: unknown;
  _getActiveQuery(): Partial<RowReceiver> | null | undefined;
}

const CLIENT = [
  ...['_getActiveQuery', '_handleRowDescription', '_handleCommandComplete', '_handleEmptyQuery'],
  ...['_handleCopyInResponse', '_handleErrorMessage', '_handleReadyForQuery'],
];
const FIELDS = ['processID', 'secretKey'];
const CONNECTION = ['attachListeners', 'parse', 'bind', 'describe', 'execute', 'close', 'sync', 'sendCopyFail'];

const getInner = (client: pg.Client): InnerClient => client as unknown as InnerClient;

function checkMembers(client: InnerClient): void {
  const listMissing = (holder: object, names: readonly string[]): string[] =>
    names.filter((name) => typeof (holder as Record<string, unknown>)[name] !== 'function');
  const missing = [
    ...listMissing(client, CLIENT),
    ...listMissing(client.connection, CONNECTION),
    ...FIELDS.filter((name) => !(name in client)),
  ];
  if (missing.length > 0)
    throw new Error(`this release of pg has no ${missing.join(', ')}; install the one of package.json`);
}

/** Rows go to their statement as bytes. */
export class RowClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const inner = getInner(this);
    checkMembers(inner);
    const { connection } = inner;
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      const others = new EventEmitter();
      attach(others);
      stream.on(
        'data',
        createMessageReader(() => inner._getActiveQuery(), others),
      );
    };
  }
}

/** `Client` pipelines such a class. The constructor of `Query` is not called. */
export function pipelineLikeQuery(type: { readonly prototype: SubmittedStatement }): void {
  Object.setPrototypeOf(type.prototype, pg.Query.prototype as object);
}

export function submitStatement(client: RowClient, statement: SubmittedStatement): void {
  client.query(statement as pg.Submittable & SubmittedStatement);
}

/** Rows that are not received wait in the sockets, then in the server. */
export const pauseSocket = (client: RowClient): void => getInner(client).connection.stream.pause();
export const resumeSocket = (client: RowClient): void => getInner(client).connection.stream.resume();

export const destroySocket = (client: RowClient): void => getInner(client).connection.stream.destroy();

/** Without the error of a connection that is lost. */
export function dropClient(client: RowClient): void {
  void client.end();
  destroySocket(client);
}

/** Null before the server has sent them. */
export function getCancelKey(client: RowClient): { readonly processID: number; readonly secretKey: number } | null {
  const { processID, secretKey } = getInner(client);
  return typeof processID === 'number' && typeof secretKey === 'number' ? { processID, secretKey } : null;
}
