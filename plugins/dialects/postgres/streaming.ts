/**
 * Rows as JSON text that is not held in full. An execution with a large text is ended and repeated (the statement only
 * reads) on a connection of its own, which waits while the receiver is slow.
 */
import type { JsonStream } from '../../../contract/json-stream.js';
import { RawJson } from '../../../contract/raw-json.js';
import type { Requester } from '../../../contract/requester.js';
import type { Rendering } from '../kind.js';
import { LargeTextError } from '../shared/errors.js';
import type { ResultText } from '../shared/result-text.js';
import { COMMIT } from './connection.js';
import type {
  ErrorCallback,
  OutcomeCallback,
  PgCommand,
  StatementOutcome,
  StatementSendOptions,
} from './connection.js';

const NO_TEXT = Buffer.from('null');
const parseText = (json: Uint8Array): unknown => JSON.parse(Buffer.from(json).toString('utf8')) as unknown;

const toRawJson = ({ json }: StatementOutcome): RawJson => new RawJson(json ?? NO_TEXT, parseText);

const BEGIN: PgCommand = { name: 'lintel_begin_reading', text: 'BEGIN READ ONLY' };
/**
 * The server's time for a statement includes the time in which the receiver is slow, so that the kernel measures it: the deadline of
 * the request, and the silence of the server.
 */
const NO_TIMEOUT: PgCommand = { name: 'lintel_no_timeout', text: 'SET LOCAL statement_timeout = 0' };

type Send = (sending: StatementSendOptions, done: OutcomeCallback, failed: ErrorCallback) => void;

export interface TextRead {
  readonly rendering: Rendering;
  readonly asker: Requester | null;
  /** The statement and the connection allow a text that is passed on. */
  readonly streams: boolean;
  /** On any connection. */
  readonly send: Send;
  /** On a connection of its own. */
  readonly sendAlone: Send;
  readonly isLarge: boolean;
  recordLarge(): void;
}

export function renderText(read: TextRead): Promise<RawJson | JsonStream> {
  const { rendering, asker } = read;
  return new Promise((done, reject) => {
    const failed: ErrorCallback = reject;
    const resolveText = (outcome: StatementOutcome): void => done(toRawJson(outcome));
    if (!read.streams || rendering.streams !== true || asker?.invocation.streams !== true) {
      read.send({ before: null, after: null, rendering, large: null }, resolveText, failed);
      return;
    }
    const sendAlone = (): void => {
      let passed: ResultText | null = null;
      const passOn = (text: ResultText): void => {
        passed = text;
        read.recordLarge();
        asker.invocation.onFinish(() => text.cancel());
        done(text.stream);
      };
      const before = [BEGIN, NO_TIMEOUT];
      read.sendAlone({ before, after: COMMIT, rendering, large: passOn }, resolveText, (error) => {
        if (passed === null) failed(error);
        else passed.fail(error);
      });
    };
    if (read.isLarge) sendAlone();
    else
      read.send({ before: null, after: null, rendering, large: 'abort' }, resolveText, (error) => {
        if (!(error instanceof LargeTextError)) return failed(error);
        read.recordLarge();
        sendAlone();
      });
  });
}
