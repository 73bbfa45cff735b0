/**
 * Spans from what the kernel tells: one is opened when a request is let in, so that outbound calls can name it, and closed
 * with its actionables when the answer has left. Attributes are names, numbers and codes; values never.
 */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type HrTime,
  type Span,
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
import type { InvocationRecord } from '../../../kernel/contract/hooks.js';
import type { ActionTiming, Invocation } from '../../../kernel/contract/plan.js';
import { readTraceparent, writeTraceparent } from './traceparent.js';

export interface Tracing {
  open(invocation: Invocation): void;
  close(record: InvocationRecord): void;
  /** Sends what waits. */
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
    const span = tracer.startSpan(key, { startTime: instant(start), attributes }, trace.setSpan(ROOT_CONTEXT, parent));
    if (code !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    span.end(instant(start + milliseconds));
  };
  return {
    open(invocation) {
      const remote = readTraceparent(invocation.header('traceparent'));
      const parent = remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
      const options = { kind: SpanKind.SERVER, startTime: instant(invocation.startedAt) };
      const span = tracer.startSpan(invocation.trigger, options, parent);
      spans.set(invocation.id, span);
      invocation.trace = { ...invocation.trace, traceparent: writeTraceparent(span.spanContext()) };
    },
    close(record) {
      const span = spans.get(record.id);
      if (span === undefined) return;
      spans.delete(record.id);
      if (span.isRecording()) {
        span.updateName(`${record.method ?? record.trigger} ${record.path ?? ''}`.trimEnd());
        span.setAttributes(attributesOf(record));
        if (record.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR, message: record.code ?? '' });
        const shift = clockShift();
        for (const action of record.actions) addAction(span, action, shift);
      }
      span.end(instant(record.startedAt + record.milliseconds));
    },
    end: () => provider.shutdown(),
  };
}

const attributesOf = ({ id, resource, path, method, status, code }: InvocationRecord): Attributes => ({
  'lintel.request': id,
  ...(resource !== undefined && { 'lintel.resource': resource }),
  ...(method !== undefined && { [ATTR_HTTP_REQUEST_METHOD]: method }),
  ...(path !== undefined && { [ATTR_HTTP_ROUTE]: path }),
  [ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
  ...(code !== undefined && { 'lintel.code': code }),
  ...(code !== undefined && status >= 500 && { [ATTR_ERROR_TYPE]: code }),
});

/** The clock of durations drifts away from the one of the wall in a process that lives for weeks. */
const clockShift = (): number => Date.now() - (performance.timeOrigin + performance.now());

function instant(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}
