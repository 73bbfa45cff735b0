/** The header `traceparent` of W3C Trace Context: read strictly, written by hand. A header that is not well-formed is none. */
import { isSpanContextValid, type SpanContext } from '@opentelemetry/api';

const FORM = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** `sent`: one entry for each time the header came; two are as good as none. */
export function readTraceparent(sent: readonly string[]): SpanContext | null {
  const [text = ''] = sent;
  if (sent.length !== 1 || text.length > 512) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = FORM.exec(text) ?? [];
  // Later versions may have more fields; this one has not.
  if (version === undefined || (version === '00' && more !== undefined)) return null;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true };
  return isSpanContextValid(context) ? context : null;
}

export const writeTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-0${traceFlags & SAMPLED}`;
