/** Status, time and rows of requests, for editors. Without values. */
import type { Registrar } from '../contract/hooks.js';
import type { InvocationRecord } from '../contract/telemetry.js';

export interface RequestReport {
  /** Id of the resource. */
  readonly resource: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly milliseconds: number;
  readonly actions: readonly {
    readonly key: string;
    readonly milliseconds: number;
    readonly rows: number | undefined;
    readonly code: string | undefined;
  }[];
}

export interface RequestReports {
  readonly register: (hooks: Registrar) => void;
  /** Receives the last report of each resource, then new ones. Returns the function that stops it. */
  subscribe(listener: (report: RequestReport) => void): () => void;
}

/** Resources of definitions that are gone are forgotten in the order in which they were requested. */
const MOST_RESOURCES = 1000;

export function createRequestReports(): RequestReports {
  const last = new Map<string, RequestReport>();
  const listeners = new Set<(report: RequestReport) => void>();

  function recordInvocation({ resource, status, code, milliseconds, actions }: InvocationRecord): void {
    if (resource === undefined) return;
    const report: RequestReport = {
      ...{ resource, status, code, milliseconds },
      actions: actions.map((one) => ({
        ...{ key: one.key, milliseconds: one.milliseconds, rows: one.rows?.(), code: one.code },
      })),
    };
    last.delete(resource);
    last.set(resource, report);
    const [oldest] = last.keys();
    if (last.size > MOST_RESOURCES && oldest !== undefined) last.delete(oldest);
    for (const listener of listeners) listener(report);
  }

  return {
    register: (hooks) => hooks.tap('after-response', recordInvocation),
    subscribe(listener) {
      for (const report of last.values()) listener(report);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
