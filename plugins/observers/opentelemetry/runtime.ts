/** The collector settings and hooks; `tracing.ts` creates spans. */
import { defineRuntime, type Log } from '../../../contract/plugin.js';
import { Stage } from '../../../contract/slot.js';
import { observer } from '../kind.js';
import { BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { createTracing } from './tracing.js';

interface Options {
  readonly endpoint?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly service_name?: string;
  readonly ratio?: number;
  readonly queue?: number;
  readonly interval?: number;
  readonly timeout?: number;
}

export default defineRuntime(observer, {
  register(hooks, { options, env, log }) {
    const {
      endpoint,
      headers = {},
      service_name,
      ratio = 1,
      queue = 2048,
      interval = 5,
      timeout = 3,
    } = options as Options;
    const url = resolveEndpoint(endpoint, env('OTEL_EXPORTER_OTLP_ENDPOINT'));
    const service = service_name ?? emptyToUndefined(env('OTEL_SERVICE_NAME')) ?? 'lintel';
    const tracing = createTracing(service, ratio, createSpanProcessor({ url, headers, queue, interval, timeout }, log));
    hooks.tap('accept', (invocation) => tracing.open(invocation), { stage: Stage.FIRST });
    hooks.tap('after-response', (record) => tracing.close(record));
    hooks.tap('close', () => waitAtMost(timeout, tracing.end()), { stage: Stage.LATE });
  },
});

/** An empty variable counts as unset. */
const emptyToUndefined = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

function resolveEndpoint(endpoint: string | undefined, base: string | undefined): string {
  const address = endpoint ?? `${(emptyToUndefined(base) ?? 'http://127.0.0.1:4318').replace(/\/+$/, '')}/v1/traces`;
  // The message omits the URL, which may contain a key.
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new Error('the address of the collector is no http(s) URL');
  return address;
}

/** At shutdown; export failures are logged elsewhere. */
async function waitAtMost(seconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => (timer = setTimeout(resolve, seconds * 1000)));
  await Promise.race([work.catch(() => undefined), deadline]);
  clearTimeout(timer);
}

interface CollectorSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly queue: number;
  /** Seconds. */
  readonly interval: number;
  readonly timeout: number;
}

const BATCH = 512;

/** Exports in batches through a bounded queue. */
function createSpanProcessor(settings: CollectorSettings, log: Log): BatchSpanProcessor {
  const { url, headers, queue, interval, timeout } = settings;
  const timeoutMillis = timeout * 1000;
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis, concurrencyLimit: 4 });
  return new BatchSpanProcessor(createLoggingExporter(exporter, log), {
    maxQueueSize: queue,
    maxExportBatchSize: Math.min(BATCH, queue),
    scheduledDelayMillis: interval * 1000,
    exportTimeoutMillis: timeoutMillis,
  });
}

/** Logs when the collector becomes unavailable or available; never its URL, headers or responses. */
function createLoggingExporter(exporter: SpanExporter, log: Log): SpanExporter {
  let isAway = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = Number(result.code) !== 0;
        if (failed && !isAway)
          log.warn({ why: getReason(result.error) }, 'trace export failed (logged once until it succeeds)');
        if (!failed && isAway) log.info({}, 'trace export available');
        isAway = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** A status or network code; the message may contain the URL or the response. */
function getReason(error: unknown): string | number {
  if (typeof error !== 'object' || error === null) return 'unknown';
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'number' || typeof code === 'string') return code;
  return cause === undefined ? 'no answer in time' : getReason(cause);
}
