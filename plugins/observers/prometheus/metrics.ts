/**
 * Counters and histograms of one kernel. Labels must not contain client input: the number of series would be
 * unbounded.
 */
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { Backlog } from '../../../contract/deferred.js';
import type { TelemetryEvent, InvocationRecord } from '../../../contract/telemetry.js';
import { createEventMetrics } from './event-metrics.js';

export interface Metrics {
  readonly type: string;
  recordRequest(record: InvocationRecord): void;
  recordEvent(event: TelemetryEvent): void;
  text(): Promise<string>;
  end(): void;
}

const VERBS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** From a cached read to the request deadline. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const NONE = '-';
const HTTP = 'http';

/** `backlog`: the amount of deferred work; null where unknown. */
export function createMetrics(backlog: () => Promise<Backlog | null>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'lintel_requests_total',
    help: 'Answered requests.',
    labelNames: ['resource', 'method', 'status'],
    registers,
  });
  const problems = new Counter({
    name: 'lintel_problems_total',
    help: 'Requests, messages and runs that were rejected or failed, by problem code.',
    labelNames: ['resource', 'code'],
    registers,
  });
  const durations = new Histogram({
    name: 'lintel_request_duration_seconds',
    help: 'Time from the arrival of a request until its response is written to the connection.',
    labelNames: ['resource', 'method'],
    buckets: SECONDS,
    registers,
  });
  const actions = new Histogram({
    name: 'lintel_action_duration_seconds',
    help: 'Duration of each actionable.',
    labelNames: ['resource', 'action', 'mode'],
    buckets: SECONDS,
    registers,
  });
  const beside = new Counter({
    name: 'lintel_runs_total',
    help: 'Messages of connections (websocket), and runs of deferred (job) and scheduled (cron) work.',
    labelNames: ['resource', 'trigger', 'status'],
    registers,
  });
  const times = new Histogram({
    name: 'lintel_run_duration_seconds',
    help: 'Duration of each of them.',
    labelNames: ['resource', 'trigger'],
    buckets: SECONDS,
    registers,
  });
  const happenings = createEventMetrics(registry, backlog);
  return {
    type: registry.contentType,
    recordEvent: (event) => happenings.recordEvent(event),
    recordRequest({ trigger, resource = NONE, method = NONE, status, code, milliseconds, actions: timings }) {
      const verb = VERBS.has(method) ? method : NONE;
      if (trigger === HTTP) {
        requests.inc({ resource, method: verb, status });
        durations.observe({ resource, method: verb }, milliseconds / 1000);
      } else {
        beside.inc({ resource, trigger, status });
        times.observe({ resource, trigger }, milliseconds / 1000);
      }
      if (code !== undefined) problems.inc({ resource, code });
      for (const { key, mode, milliseconds: took } of timings)
        actions.observe({ resource, action: key, mode }, took / 1000);
    },
    text: () => registry.metrics(),
    end: () => registry.clear(),
  };
}
