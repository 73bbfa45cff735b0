/**
 * Exports spans in batches through a bounded queue, and logs when the collector becomes unavailable or available. Must not log
 * its URL, headers or responses.
 */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../../../contract/plugin.js';

export interface CollectorSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly queue: number;
  /** Seconds. */
  readonly interval: number;
  readonly timeout: number;
}

const BATCH = 512;

export function createSpanProcessor(settings: CollectorSettings, log: Log): BatchSpanProcessor {
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

function createLoggingExporter(exporter: SpanExporter, log: Log): SpanExporter {
  let isAway = false;
  return {
    export(spans, tell) {
      exporter.export(spans, (result) => {
        const failed = Number(result.code) !== 0;
        if (failed && !isAway)
          log.warn({ why: getReason(result.error) }, 'trace export failed (logged once until it succeeds)');
        if (!failed && isAway) log.info({}, 'trace export available');
        isAway = failed;
        tell(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** A status or network code; the message may contain the URL or the response of the collector. */
function getReason(error: unknown): string | number {
  if (typeof error !== 'object' || error === null) return 'unknown';
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'number' || typeof code === 'string') return code;
  return cause === undefined ? 'no answer in time' : getReason(cause);
}
