/**
 * Rows as JSON text that is not held in full. An execution with a large text is ended and repeated (it only reads) on
 * a connection of its own.
 */
import type { JsonStream } from '../../../contract/json-stream.js';
import type { RawJson } from '../../../contract/raw-json.js';
import type { Requester } from '../../../contract/requester.js';
import type { Rendering } from '../kind.js';
import { LargeTextError } from '../shared/errors.js';
import { toRawJson } from '../shared/json-objects.js';
import type { ResultText } from '../shared/result-text.js';
import type { PostgresPreparedStatement } from '../shared/values.js';
import { COMMIT } from './connection.js';
import type {
  ErrorCallback,
  OutcomeCallback,
  PgCommand,
  StatementOutcome,
  StatementSendOptions,
} from './connection.js';
import type { SlowStatements } from './slow-statements.js';

const NO_TEXT = Buffer.from('null');
export const toOutcomeText = ({ json }: StatementOutcome): RawJson => toRawJson(json ?? NO_TEXT);

const BEGIN: PgCommand = { name: 'lintel_begin_reading', text: 'BEGIN READ ONLY' };
/**
 * The server's time for a statement includes the time in which the receiver is slow, so that the kernel measures it: the deadline of
 * the request, and the silence of the server.
 */
const NO_TIMEOUT: PgCommand = { name: 'lintel_no_timeout', text: 'SET LOCAL statement_timeout = 0' };

/** `Manner`: how the statement is sent, or its rows are written. */
type StatementCall<Manner> = [
  prepared: PostgresPreparedStatement,
  values: readonly unknown[],
  manner: Manner,
  requester: Requester | null,
];

type Send = (...call: [...StatementCall<StatementSendOptions>, done: OutcomeCallback, failed: ErrorCallback]) => void;

type RenderText = (sender: TextSender, ...call: StatementCall<Rendering>) => Promise<RawJson | JsonStream>;

export interface TextSender {
  /** The connections allow a text that is passed on. */
  readonly streams: boolean;
  readonly slow: Pick<SlowStatements, 'isLarge' | 'recordLarge'>;
  /** On any connection. */
  readonly send: Send;
  /** On a connection of its own. */
  readonly sendAlone: Send;
}

export const renderText: RenderText = (sender, prepared, values, rendering, requester) => {
  const { streams, slow } = sender;
  const isPassed =
    streams &&
    prepared.readOnly &&
    !prepared.among &&
    rendering.streams === true &&
    requester?.invocation.streams === true;
  if (isPassed && slow.isLarge(prepared.name)) return passText(sender, prepared, values, rendering, requester);
  return new Promise((done, reject) => {
    const resolveText = (outcome: StatementOutcome): void => done(toOutcomeText(outcome));
    const failed: ErrorCallback = reject;
    const failOrPass: ErrorCallback = (error) => {
      if (!(error instanceof LargeTextError)) return failed(error);
      slow.recordLarge(prepared.name);
      done(passText(sender, prepared, values, rendering, requester));
    };
    const sending = { before: null, after: null, rendering, large: isPassed ? ('abort' as const) : null };
    sender.send(prepared, values, sending, requester, resolveText, failOrPass);
  });
};

const passText: RenderText = (sender, prepared, values, rendering, requester) =>
  new Promise((done, reject) => {
    const failed: ErrorCallback = reject;
    let passed: ResultText | null = null;
    const passOn = (text: ResultText): void => {
      passed = text;
      sender.slow.recordLarge(prepared.name);
      requester?.invocation.onFinish(() => text.cancel());
      done(text.stream);
    };
    const sending = { before: [BEGIN, NO_TIMEOUT], after: COMMIT, rendering, large: passOn };
    const resolveText = (outcome: StatementOutcome): void => done(toOutcomeText(outcome));
    sender.sendAlone(prepared, values, sending, requester, resolveText, (error) => {
      if (passed === null) failed(error);
      else passed.fail(error);
    });
  });
