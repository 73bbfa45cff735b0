/**
 * A span opens when a request is accepted, so that outbound calls can refer to it. Attributes must not contain values
 * of requests.
 */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  isSpanContextValid,
  type Attributes,
  type HrTime,
  type Link,
  type Span,
  type SpanContext,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVICE_NAME,
} from '@opentelemetry/semantic-conventions';
import type { InvocationRecord } from '../../../contract/telemetry.js';
import type { ActionTiming, Invocation } from '../../../contract/plan.js';

export interface Tracing {
  open(invocation: Invocation): void;
  close(record: InvocationRecord): void;
  end(): Promise<void>;
}

export function createTracing(service: string, ratio: number, processor: SpanProcessor): Tracing {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: service }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('lintel');
  const spans = new Map<string, Span>();

  const addAction = (parent: Span, { key, mode, startedAt, milliseconds, code }: ActionTiming, shift: number): void => {
    const attributes = { 'lintel.action': key, 'lintel.mode': mode, ...(code && { 'lintel.code': code }) };
    const start = startedAt + shift;
    const span = tracer.startSpan(key, { startTime: toHrTime(start), attributes }, trace.setSpan(ROOT_CONTEXT, parent));
    if (code !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    span.end(toHrTime(start + milliseconds));
  };
  return {
    open(invocation) {
      const { trigger, startedAt } = invocation;
      const [remote, links] = resolveParent(invocation);
      const parent = remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
      // A job or scheduled run executes long after its nominal instant.
      const startTime = toHrTime(trigger === 'job' || trigger === 'cron' ? Date.now() : startedAt);
      const span = tracer.startSpan(trigger, { kind: KINDS[trigger] ?? SpanKind.SERVER, startTime, links }, parent);
      spans.set(getSpanKey(invocation), span);
      invocation.trace = { ...invocation.trace, traceparent: writeTraceparent(span.spanContext()) };
    },
    close(record) {
      const span = spans.get(getSpanKey(record));
      if (span === undefined) return;
      spans.delete(getSpanKey(record));
      if (span.isRecording()) {
        span.updateName(`${record.method ?? record.trigger} ${record.path ?? ''}`.trimEnd());
        span.setAttributes(createAttributes(record));
        if (record.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR, message: record.code ?? '' });
        const shift = getClockShift();
        for (const action of record.actions) addAction(span, action, shift);
      }
      span.end(toHrTime(record.startedAt + record.milliseconds));
    },
    end: () => provider.shutdown(),
  };
}

/** A job has the id of its request and may run before that ends. */
const getSpanKey = ({ trigger, id }: Pick<InvocationRecord, 'trigger' | 'id'>): string => `${trigger} ${id}`;

/** Triggers without an HTTP response; their spans start their own traces. */
const APART: ReadonlySet<string> = new Set(['websocket', 'job', 'cron']);
const KINDS: Readonly<Record<string, SpanKind>> = { job: SpanKind.CONSUMER, cron: SpanKind.INTERNAL };

/** A request continues the trace of its header. Deferred work and messages start their own with a link. */
function resolveParent(invocation: Invocation): readonly [SpanContext | null, Link[]] {
  const { trigger, origin } = invocation;
  const sent = origin === undefined ? invocation.header('traceparent') : [origin['traceparent'] ?? ''];
  const context = readTraceparent(sent);
  if (!APART.has(trigger)) return [context, []];
  return [null, context === null ? [] : [{ context }]];
}

const createAttributes = ({
  id,
  trigger,
  resource,
  path,
  method,
  status,
  code,
  attempt,
}: InvocationRecord): Attributes => ({
  'lintel.request': id,
  ...(APART.has(trigger) && { 'lintel.trigger': trigger, 'lintel.status': status }),
  ...(attempt !== undefined && { 'lintel.attempt': attempt }),
  ...(resource !== undefined && { 'lintel.resource': resource }),
  ...(method !== undefined && { [ATTR_HTTP_REQUEST_METHOD]: method }),
  ...(!APART.has(trigger) && path !== undefined && { [ATTR_HTTP_ROUTE]: path }),
  ...(!APART.has(trigger) && { [ATTR_HTTP_RESPONSE_STATUS_CODE]: status }),
  ...(code !== undefined && { 'lintel.code': code }),
  ...(code !== undefined && status >= 500 && { [ATTR_ERROR_TYPE]: code }),
});

/** The monotonic clock drifts from the system clock in long-lived processes. */
const getClockShift = (): number => Date.now() - (performance.timeOrigin + performance.now());

function toHrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

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
