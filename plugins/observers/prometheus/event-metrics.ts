/** Metrics of connections, messages and deferred work. The backlog is queried at scrape time and cached briefly. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Backlog } from '../../../contract/deferred.js';
import type { TelemetryEvent } from '../../../contract/telemetry.js';

export interface EventMetrics {
  recordEvent(event: TelemetryEvent): void;
}

const NONE = '-';
/** Milliseconds for which the backlog is cached. */
const FRESH = 5000;

/** `backlog`: null where unknown; queried at scrape time. */
export function createEventMetrics(registry: Registry, backlog: () => Promise<Backlog | null>): EventMetrics {
  const registers = [registry];
  const createCounter = <L extends string>(name: string, help: string, labelNames: L[]): Counter<L> =>
    new Counter({ name: `lintel_${name}`, help, labelNames, registers });

  const open = new Gauge({ name: 'lintel_connections', help: 'Open WebSocket connections.', registers });
  const opened = createCounter('connections_opened_total', 'WebSocket connections that were opened.', []);
  const closed = createCounter('connections_closed_total', 'WebSocket connections that ended, by code.', ['code']);
  const sent = createCounter('messages_sent_total', 'Messages to connected clients that definitions sent.', ['action']);
  const delivered = createCounter('messages_delivered_total', 'Messages handed to connections of this process.', [
    'action',
  ]);
  const dropped = createCounter('messages_dropped_total', 'Messages that connections did not keep up with.', [
    'action',
  ]);
  const accepted = createCounter('work_accepted_total', 'Work that was put off.', ['resource']);
  const ended = createCounter(
    'work_ended_total',
    'Runs of deferred work, by what became of it: done, again (it will be tried again), dead.',
    ['resource', 'outcome', 'code'],
  );
  const unbegun = createCounter('scheduled_runs_not_begun_total', 'Scheduled runs that were skipped or missed.', [
    'action',
    'why',
  ]);
  watchBacklog(registry, backlog);

  return {
    recordEvent(event) {
      switch (event.what) {
        case 'connection-opened':
          opened.inc();
          return open.set(event.open);
        case 'connection-closed':
          closed.inc({ code: toCodeLabel(event.code) });
          return open.set(event.open);
        case 'message-sent':
          return sent.inc({ action: event.action });
        case 'message-delivered':
          if (event.receivers > 0) delivered.inc({ action: event.action }, event.receivers);
          if (event.dropped > 0) dropped.inc({ action: event.action }, event.dropped);
          return;
        case 'work-accepted':
          return accepted.inc({ resource: event.resource });
        case 'work-ended': {
          const { resource = NONE, outcome, code = NONE } = event;
          return ended.inc({ resource, outcome, code });
        }
        case 'run-skipped':
          return unbegun.inc({ action: event.key, why: 'skipped' });
        case 'run-missed':
          return unbegun.inc({ action: event.key, why: 'missed' });
      }
    },
  };
}

/** Of RFC 6455 and Lintel; any other is client input. */
const CODES: ReadonlySet<number> = new Set([
  ...[1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1011, 1013, 4400, 4401],
]);
const toCodeLabel = (code: number): string => (CODES.has(code) ? String(code) : NONE);

function watchBacklog(registry: Registry, backlog: () => Promise<Backlog | null>): void {
  const registers = [registry];
  let asked: { readonly at: number; readonly found: Promise<Backlog | null> } | null = null;
  const loadBacklog = (): Promise<Backlog | null> => {
    const now = performance.now();
    if (asked === null || now - asked.at > FRESH) asked = { at: now, found: backlog().catch(() => null) };
    return asked.found;
  };
  new Gauge({
    name: 'lintel_work',
    help: 'Jobs of all processes that share the queue; the count may stop at ten thousand.',
    labelNames: ['state'],
    registers,
    async collect() {
      const found = await loadBacklog();
      // Omits an unknown value, because the previous one would look current.
      this.reset();
      if (found === null) return;
      for (const state of ['ready', 'delayed', 'running', 'dead'] as const) this.set({ state }, found[state]);
    },
  });
  new Gauge({
    name: 'lintel_work_oldest_seconds',
    help: 'Time that the oldest runnable job has waited.',
    registers,
    async collect() {
      const found = await loadBacklog();
      this.remove();
      if (found !== null) this.set(found.oldest);
    },
  });
}
