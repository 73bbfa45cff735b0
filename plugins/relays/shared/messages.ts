/** Serializes messages within their size limit, and validates message ids sent by clients. */
import type { Delivery, Target } from '../../../contract/delivery.js';
import { createFault } from '../../../contract/fault.js';
import { isObject } from '../../../contract/json.js';
import { MAX_MESSAGE } from './fields.light.js';

export interface PackedMessage {
  readonly text: string;
  readonly bytes: number;
}

/** Throws the Fault RLY_LARGE. */
export function packMessage({ action, data, to }: Omit<Delivery, 'id'>): PackedMessage {
  const text = JSON.stringify({ action, data, to });
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_MESSAGE) throw createFault('RLY_LARGE', { max: MAX_MESSAGE });
  return { text, bytes };
}

/** Null for text that is no message of this version. */
export function unpackMessage(text: string): Omit<Delivery, 'id'> | null {
  try {
    const read: unknown = JSON.parse(text);
    if (!isObject(read)) return null;
    const { action, data = null, to } = read;
    return typeof action === 'string' && isTarget(to) ? { action, data, to } : null;
  } catch {
    return null;
  }
}

const isTarget = (to: unknown): to is Target =>
  isObject(to) && (to['all'] === true || Array.isArray(to['uids']) || Array.isArray(to['rooms']));

export const formatMessageId = (epoch: string, number: number): string => `${epoch}.${number}`;

/** The number of a message id of this epoch; null for any other text. */
export function parseMessageNumber(id: string, epoch: string): number | null {
  const [, of, digits] = /^([A-Za-z0-9_-]{1,64})\.(0|[1-9]\d{0,14})$/.exec(id) ?? [];
  return of === epoch && digits !== undefined ? Number(digits) : null;
}
