/** Parses client messages and writes frames. An unreadable message is returned with its Fault. */
import { createFault, ensureFault, type Fault } from '../../../contract/fault.js';
import { isObject, getOwn, type Json } from '../../../contract/json.js';
import { RawJson } from '../../../contract/raw-json.js';
import { parseBounded, type JsonLimits } from '../../../language/strings/bounded-json.js';

export interface Message {
  /** Id or path of a resource, as the client writes it. */
  readonly resource: string;
  /** Chosen by the client, repeated in the response. */
  readonly action: string | null;
  /** Repeated in the response. */
  readonly requestId: string | null;
  readonly payload: unknown;
  readonly flaw: Fault | null;
}

const MAX_NAME = 256;

const UNREAD: Message = { resource: '', action: null, requestId: null, payload: undefined, flaw: null };

const createMessageFault = (what: string): Fault => createFault('WS_MESSAGE', { what });

/** `bytes`: UTF-8. The limits are increased for the envelope around the payload. */
export function readMessage(bytes: Buffer, limits: JsonLimits): Message {
  let json: unknown;
  try {
    const around = { depth: limits.depth + 1, keys: limits.keys + 4, array: limits.array };
    json = parseBounded(bytes, () => bytes.toString('utf8'), around);
  } catch (error) {
    return { ...UNREAD, flaw: ensureFault(error) };
  }
  if (!isObject(json)) return { ...UNREAD, flaw: createMessageFault('it is not an object') };
  const [resource, action, requestId] = ['resource', 'action', 'request_id'].map((name) => getOwn(json, name));
  const read = {
    ...UNREAD,
    action: isName(action) ? action : null,
    requestId: isName(requestId) ? requestId : null,
  };
  if (!isName(action ?? ''))
    return { ...read, flaw: createMessageFault('`action` is not a text of at most 256 characters') };
  if (!isName(requestId ?? ''))
    return { ...read, flaw: createMessageFault('`request_id` is not a text of at most 256 characters') };
  if (typeof resource !== 'string' || resource === '')
    return { ...read, flaw: createMessageFault('`resource` does not name one by its id or its path') };
  return { ...read, resource, payload: getOwn(json, 'payload') };
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_NAME;

export type EchoedFields = Pick<Message, 'action' | 'requestId'>;

/** JSON text is not serialized again. */
export function createResponseFrame(uid: string | null, { action, requestId }: EchoedFields, result: unknown): Buffer {
  const head = `{"uid":${JSON.stringify(uid)},"action":${JSON.stringify(action)},`;
  const named = requestId === null ? head : `${head}"request_id":${JSON.stringify(requestId)},`;
  if (result instanceof RawJson) return Buffer.concat([Buffer.from(`${named}"data":`), result.json, Buffer.from('}')]);
  return Buffer.from(`${named}"data":${JSON.stringify(result ?? null)}}`);
}

export function createErrorFrame(uid: string | null, { action, requestId }: EchoedFields, error: object): Buffer {
  return Buffer.from(JSON.stringify({ uid, action, ...(requestId !== null && { request_id: requestId }), error }));
}

/** The part of a frame that is equal for all recipients. */
export const serializeShared = (action: string, data: Json, id: string | null): Buffer =>
  Buffer.from(
    `,"action":${JSON.stringify(action)},"data":${JSON.stringify(data)}${id === null ? '' : `,"id":${JSON.stringify(id)}`}}`,
  );

export class SharedFrame {
  private framed: Buffer | null = null;

  constructor(readonly text: Buffer) {}

  get bytes(): Buffer {
    return (this.framed ??= Buffer.concat([createFrameHeader(this.text.length), this.text]));
  }
}

const [FINAL_TEXT, TWO_BYTES, EIGHT_BYTES] = [0x81, 126, 127];

/** RFC 6455, section 5.2: a whole text message, without a mask. */
function createFrameHeader(length: number): Buffer {
  if (length < TWO_BYTES) return Buffer.from([FINAL_TEXT, length]);
  const header = Buffer.alloc(length <= 0xffff ? 4 : 10);
  header[0] = FINAL_TEXT;
  header[1] = length <= 0xffff ? TWO_BYTES : EIGHT_BYTES;
  if (length <= 0xffff) header.writeUInt16BE(length, 2);
  else header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}

export const createDeliveryFrame = (uid: string | null, shared: Buffer): SharedFrame =>
  new SharedFrame(Buffer.concat([Buffer.from(`{"uid":${JSON.stringify(uid)}`), shared]));
