/** Reads a multipart form: text parts as the payload, files beside it. */
import type { IncomingMessage } from 'node:http';
import { fault } from '../contract/fault.js';
import type { FileLimits, Payload, UploadedFile } from '../contract/plan.js';
import type { BodyLimits } from './body.js';

export interface FormSettings {
  /** Null: a part with a file is refused. */
  readonly files: FileLimits | null;
  readonly limits: BodyLimits & { readonly parts: number; readonly field: number };
  /** Seconds that the sender may be silent. */
  readonly idle: number;
  /** Takes what has to be undone when the request is over. */
  readonly release: (work: () => void | Promise<void>) => void;
}

export interface Form {
  readonly payload: Payload;
  readonly files: readonly UploadedFile[];
}

/** `read`: the body, where a guard has read it already; otherwise it is taken from the request as it comes. */
export function readForm(_req: IncomingMessage, _read: Buffer | null, _settings: FormSettings): Promise<Form> {
  return Promise.reject(fault('REQ_MEDIA_TYPE', {}, { headers: { connection: 'close' } }));
}
