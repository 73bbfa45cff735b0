/**
 * Reads results of the engine within limits. Its own reader holds a result in full before it can be checked, and
 * drops U+FEFF at the start of a value. Rows are fetched in portions.
 */
import type { PGlite, protocol } from '@electric-sql/pglite';
import type { Fault } from '../../../contract/fault.js';
import type { Requester } from '../../../contract/requester.js';
import type { Row } from '../kind.js';
import { LargeResult, type ResultLimits } from '../../shared/results.js';
import { createMessageReader, type RowReceiver } from '../shared/message-reader.js';
import { createRowShape, readRow, type RowShape } from '../shared/wire-rows.js';
import type { WireText } from '../shared/wire-text.js';

type Engine = Pick<PGlite, 'execProtocolRawStream'>;
type Run = PGlite['execProtocolStream'];
type Message = Awaited<ReturnType<Run>>[number];
type RowDescription = Message & { readonly fields: Parameters<typeof createRowShape>[0] };
export type Protocol = typeof protocol;

const EXECUTE = 0x45;
const READY = 0x5a;
/** A statement was parsed, bound, executed; the engine is ready. */
const DONE = new Set([0x31, 0x32, 0x43, READY]);
/** Rows. */
export const PORTION = 256;

/** Every statement of the engine's own `query` and `exec` goes through this method. */
export function boundResults(db: PGlite, { Parser, serialize }: Protocol, limits: ResultLimits): void {
  const portion = serialize.execute({ rows: PORTION });
  const parser = new Parser();

  async function readResult(this: Engine, message: Uint8Array, options: Parameters<Run>[1] = {}): Promise<Message[]> {
    const { syncToFs, throwOnError = true, onNotice } = options;
    const reader = new ResultReader(parser, limits, null, null);
    const sent = message[0] === EXECUTE ? portion : message;
    do {
      reader.isSuspended = false;
      await this.execProtocolRawStream(sent, { syncToFs: syncToFs ?? true, onRawData: (bytes) => reader.read(bytes) });
    } while (reader.isSuspended);
    const { messages, error, refusal } = reader.close();
    if (refusal !== null) throw refusal;
    if (error !== null && throwOnError) throw error;
    for (const one of messages) if (one.name === 'notice') onNotice?.(one as never);
    return messages;
  }
  db.execProtocolStream = readResult;
}

export class ResultReader implements RowReceiver {
  readonly messages: Message[] = [];
  readonly rows: Row[] = [];
  error: Error | null = null;
  refusal: Fault | null = null;
  /** The engine has more rows. */
  isSuspended = false;
  isReady = false;
  #rows = 0;
  #bytes = 0;
  #nextCheck: number;
  #result: LargeResult | null = null;
  readonly #split: (bytes: Buffer) => void;

  constructor(
    parser: InstanceType<Protocol['Parser']>,
    private readonly limits: ResultLimits,
    private readonly requester: Requester | null,
    public shape: RowShape | null,
    private readonly text: WireText | null = null,
  ) {
    if (shape !== null) text?.setShape(shape);
    this.#nextCheck = limits.checkFrom;
    this.#split = createMessageReader(() => this, {
      emit: (_, bytes) => this.#parseMessages(parser, bytes),
    });
  }

  /** What follows a refusal is not held. */
  read(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#nextCheck || this.#rows > this.limits.rows) this.#checkSize();
    // The engine uses its memory again.
    if (this.refusal === null) this.#split(Buffer.from(bytes));
  }

  receiveRow(bytes: Buffer, at: number): void {
    this.#rows++;
    if (this.error !== null) return;
    if (this.text !== null) this.#writeRow(this.text, bytes, at);
    else if (this.shape !== null) this.rows.push(readRow(this.shape, bytes, at));
    else this.messages.push({ name: 'dataRow', length: 0, fields: readFields(bytes, at) } as Message);
  }

  /** An error must not pass through the engine. */
  #writeRow(text: WireText, bytes: Buffer, at: number): void {
    try {
      text.addRow(bytes, at);
    } catch (error) {
      this.error = error as Error;
    }
  }

  #parseMessages(parser: InstanceType<Protocol['Parser']>, bytes: Buffer): void {
    for (let from = 0; from < bytes.length;) {
      const end = from + 1 + bytes.readUInt32BE(from + 1);
      this.isReady = bytes[from] === READY;
      if (this.shape === null || !DONE.has(bytes[from] ?? 0))
        parser.parse(bytes.subarray(from, end), (message) => this.#receiveMessage(message));
      from = end;
    }
  }

  #receiveMessage(message: Message): void {
    if (message.name === 'portalSuspended') this.isSuspended = true;
    else if (message instanceof Error) this.error ??= message;
    else if (this.shape !== null && message.name === 'rowDescription') {
      this.shape = createRowShape((message as RowDescription).fields);
      this.text?.setShape(this.shape);
    } else if (this.error === null) this.messages.push(message);
  }

  #checkSize(): void {
    if (this.refusal !== null) return;
    const result = (this.#result ??= new LargeResult(this.limits, this.requester));
    this.refusal = result.checkSize(this.#rows, this.#bytes);
    this.#nextCheck = result.next;
    if (this.refusal === null) return;
    this.messages.length = 0;
    this.rows.length = 0;
    this.isSuspended = false;
    result.dispose();
  }

  close(): Pick<ResultReader, 'messages' | 'rows' | 'shape' | 'error' | 'refusal'> {
    if (this.#rows > this.limits.rows) this.#checkSize();
    this.#result?.close();
    return this;
  }
}

function readFields(bytes: Buffer, at: number): (string | null)[] {
  const fields: (string | null)[] = [];
  let from = at + 2;
  for (let left = bytes.readInt16BE(at); left > 0; left--) {
    const length = bytes.readInt32BE(from);
    from += 4;
    fields.push(length < 0 ? null : bytes.toString('utf8', from, from + length));
    from += Math.max(length, 0);
  }
  return fields;
}
