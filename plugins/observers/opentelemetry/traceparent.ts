/** The `traceparent` header of W3C Trace Context. A malformed header is ignored. */
import { isSpanContextValid, type SpanContext } from '@opentelemetry/api';

const FORM = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** `sent`: the values of the header; more than one is invalid. */
export function readTraceparent(sent: readonly string[]): SpanContext | null {
  const [text = ''] = sent;
  if (sent.length !== 1 || text.length > 512) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = FORM.exec(text) ?? [];
  // Only versions after 00 may have additional fields.
  if (version === undefined || (version === '00' && more !== undefined)) return null;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true };
  return isSpanContextValid(context) ? context : null;
}

export const writeTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-0${traceFlags & SAMPLED}`;
