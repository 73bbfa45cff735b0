/** What the console shows: recorded requests, and panes of plugins. */
import type { Json, JsonObject } from './json.js';
import type { PlanObserver } from './resource-plan.js';

/** A list of objects is shown as a table, an object as fields. */
export interface ConsolePane {
  readonly title: string;
  /** The pane of which it is a section, such as `metrics`. */
  readonly within?: string;
  /** Called whenever the pane is shown. Without secrets. */
  read(): Json | Promise<Json>;
}

export interface RecordedStage {
  /** `sign-up#2` */
  readonly key: string;
  readonly mode: string;
  /** Milliseconds after the start of the request. */
  readonly begins: number;
  readonly milliseconds: number;
  readonly code: string | null;
  /** A statement with its values, or a call. Null where nothing was sent. */
  readonly sent: JsonObject | null;
  /** Null where it is not known. */
  readonly rows: number | null;
  /** The field with the step that ended the actionable before its work: a cache. */
  readonly endedBy: string | null;
}

export interface RecordedCall extends RecordedStage {
  /** Of the request, and its start. */
  readonly number: number;
  readonly startedAt: number;
}

export interface RecordedStep {
  readonly field: string;
  readonly action: string | null;
  readonly milliseconds: number;
}

export interface RecordedProblem {
  readonly code: string;
  /** Of the actionable and the field that rejected; null where neither did. */
  readonly action: string | null;
  readonly field: string | null;
  readonly issues: readonly { readonly pointer: string; readonly code: string }[];
  /** The words of the store or service; only in `lintel dev`. */
  readonly cause: string | null;
}

/** A row of the list of requests, messages, jobs and scheduled runs that have ended. */
export interface RecordingSummary {
  /** Counts up from 1. */
  readonly number: number;
  readonly trigger: string;
  readonly attempt: number | null;
  readonly resource: string | null;
  /** As in the definition. */
  readonly path: string | null;
  readonly method: string | null;
  /** Path and query as sent. */
  readonly target: string | null;
  readonly status: number;
  readonly code: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly milliseconds: number;
}

/** One of them as it is shown: secrets are replaced. */
export interface Recording extends RecordingSummary {
  readonly id: string;
  readonly headers: JsonObject;
  readonly payload: Json;
  readonly claims: Json;
  /** Files that were sent. */
  readonly files: number;
  /** Why `payload` or `claims` are not what was sent; null where they are. */
  readonly lacks: 'secret' | 'size' | null;
  readonly steps: readonly RecordedStep[];
  readonly stages: readonly RecordedStage[];
  readonly messages: readonly { readonly action: string; readonly to: Json }[];
  /** The body of a successful response; undefined where responses are not recorded. */
  readonly answer: Json | undefined;
  readonly answerLacks: 'secret' | 'size' | null;
  readonly problem: RecordedProblem | null;
}

/** Finds secrets of the served definitions. */
export interface RecordMask {
  readonly isSecret: (name: string) => boolean;
  /** `more`: secret texts of the request. */
  readonly maskText: (text: string, more: readonly string[]) => string;
  readonly masked: string;
}

/** The handle of an observer that records. */
export interface Recorder {
  readonly limits: { readonly requests: number; readonly bytes: number };
  /** Of `lintel serve`: what callers of the console show. Null where none is set. */
  readonly token: string | null;
  readonly isWritable: boolean;
  readonly observer: PlanObserver;
  /** Nothing is recorded before. */
  begin(mask: () => RecordMask): void;
  /** Newest last. */
  list(): readonly RecordingSummary[];
  find(number: number): Recording | null;
  /** The newest stages that called other services, newest first. */
  listCalls(most: number): readonly RecordedCall[];
  readonly bytes: number;
  clear(): void;
  /** Counts since the start, by resource. */
  readonly counts: ReadonlyMap<string, RequestCounts>;
  /** Requests that began in the last minute. */
  countLastMinute(): number;
  /** Called after each recording. The returned function unsubscribes. */
  subscribe(listener: (recording: RecordingSummary) => void): () => void;
}

export interface RequestCounts {
  count: number;
  readonly codes: Map<string, number>;
  /** Milliseconds of the last requests, oldest overwritten. */
  readonly times: number[];
}

export const isRecorder = (handle: unknown): handle is Recorder =>
  typeof handle === 'object' && handle !== null && 'counts' in handle && 'subscribe' in handle;
