/** What observers receive. */
import type { ActionTiming } from './plan.js';

/** After the response was sent. Contains no values of the request. */
export interface InvocationRecord {
  readonly id: string;
  readonly trigger: string;
  readonly resource: string | undefined;
  /** As written in the definition. */
  readonly path: string | undefined;
  /** The beginning of a path that nothing serves. */
  readonly unserved?: string | undefined;
  /** Of an HTTP request. */
  readonly method: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly status: number;
  /** Of a rejected or failed request. */
  readonly code: string | undefined;
  readonly milliseconds: number;
  /** In the order in which they ended. */
  readonly actions: readonly ActionTiming[];
  /** The attempt number of background work. */
  readonly attempt?: number;
}

/** Events outside requests, without request values and uids. */
export type TelemetryEvent =
  /** `open`: current number of connections. */
  | { readonly what: 'connection-opened'; readonly id: string; readonly open: number }
  | {
      readonly what: 'connection-closed';
      readonly id: string;
      readonly open: number;
      /** The close code of RFC 6455. */
      readonly code: number;
      readonly milliseconds: number;
    }
  /** A definition sent a message, to any process. */
  | { readonly what: 'message-sent'; readonly action: string }
  /** In this process; `dropped` counts slow clients. */
  | {
      readonly what: 'message-delivered';
      readonly action: string;
      readonly receivers: number;
      readonly dropped: number;
    }
  | { readonly what: 'work-accepted'; readonly id: string; readonly resource: string; readonly part: string }
  /** Attempts lost in a crash have no names of definitions. */
  | {
      readonly what: 'work-ended';
      readonly id: string;
      readonly resource: string | undefined;
      readonly part: string | undefined;
      readonly attempt: number | undefined;
      /** `again`: a retry follows. */
      readonly outcome: 'done' | 'again' | 'dead';
      readonly code: string | undefined;
    }
  /** A scheduled run did not start: the previous one is active, or it was due too long ago. */
  | {
      readonly what: 'run-skipped' | 'run-missed';
      readonly resource: string;
      readonly key: string;
      /** Milliseconds since 1970. */
      readonly instant: number;
    };
