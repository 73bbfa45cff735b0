/** A format of request bodies besides JSON. */
import type { FileLimits, Payload, UploadedFile } from './invocation.js';

export interface BodyFormat {
  /** `request`: Node's object. Rejects with a Fault. */
  read(request: object, input: BodyInput): Promise<ReadBody>;
}

export interface BodyInput {
  /** The body, if a guard has read it already. */
  readonly bytes: Uint8Array | null;
  /** Null: files are rejected. */
  readonly files: FileLimits | null;
  readonly limits: BodyLimits;
  /** Seconds without data before the request is rejected. */
  readonly idle: number;
  readonly onFinish: (work: () => void | Promise<void>) => void;
}

export interface BodyLimits {
  /** Bytes. */
  readonly body: number;
  readonly parts: number;
  /** Bytes of one text. */
  readonly field: number;
}

export interface ReadBody {
  readonly payload: Payload;
  readonly files: readonly UploadedFile[];
}

/** A repeated name becomes a list. */
export type TextPayload = Record<string, string | string[]>;

export function addText(payload: TextPayload, name: string, value: string): void {
  const before = payload[name];
  if (before === undefined) payload[name] = value;
  else if (typeof before === 'string') payload[name] = [before, value];
  else before.push(value);
}
