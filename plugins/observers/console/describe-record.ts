/** Copies a record for a reader, masked and bounded. */
import type { Json, JsonObject } from '../../../contract/json.js';
import type {
  RecordedCall,
  RecordedProblem,
  RecordedStage,
  RecordMask,
  Recording,
  RecordingSummary,
} from '../../../contract/console.js';
import { ensureFault } from '../../../contract/fault.js';
import type { ActionTiming, Frame, Payload, Preview } from '../../../contract/plan.js';
import { countRows, RawJson } from '../../../contract/raw-json.js';
import type { ActionPlan } from '../../../contract/resource-plan.js';
import type { InvocationRecord } from '../../../contract/telemetry.js';
import { collectSecrets, copyMasked, createBudget } from './masked-copy.js';

/** What an actionable did; `endedBy`: the step that ended it before its work. */
export interface WorkNote {
  readonly key: string;
  readonly action: ActionPlan | null;
  readonly frame: Frame;
  /** As it was at that time; a step that changes the payload replaces it. */
  readonly payload: Payload;
  /** JSON text is counted when it is shown. */
  readonly rows: RawJson | number | null;
  readonly endedBy: string | null;
}

/** What is noted while a request runs: references only. */
export interface RequestNotes {
  readonly frame: Frame;
  /** Of the definitions that served the request. */
  readonly mask: RecordMask;
  readonly works: WorkNote[];
  steps: Recording['steps'][number][] | null;
  messages: { readonly action: string; readonly to: object }[] | null;
  /** Undefined: no response is recorded. */
  answer: unknown;
  fault: { readonly error: unknown; readonly action: string | null; readonly field: string | null } | null;
}

export interface RecordedRequest {
  readonly number: number;
  readonly record: InvocationRecord;
  /** Null where the request ended before its resource began. */
  readonly notes: RequestNotes | null;
  /** Of a request that was too large to be held. */
  readonly copy: Recording | null;
  /** Bytes, about. */
  readonly size: number;
}

export interface RecordContext {
  readonly readMask: () => RecordMask;
  readonly isDev: boolean;
}

/** Bytes, about, of one statement or call, of the payload with its headers, and of an answer. */
const MOST_SENT = 4096;
const MOST_RECEIVED = 32_768;
const MOST_ANSWER = 32_768;

export function summarizeRecord(request: RecordedRequest, context: RecordContext): RecordingSummary {
  const { number, record, notes, copy } = request;
  const mask = joinMasks(notes, context);
  return {
    number,
    trigger: record.trigger,
    attempt: record.attempt ?? null,
    resource: record.resource ?? null,
    path: record.path ?? null,
    method: record.method ?? null,
    target:
      copy === null
        ? maskTarget(notes?.frame.invocation.target ?? record.unserved, record.path, mask, readSecrets(notes, mask))
        : copy.target,
    status: record.status,
    code: record.code ?? null,
    startedAt: record.startedAt,
    milliseconds: record.milliseconds,
  };
}

export function describeRecord(request: RecordedRequest, context: RecordContext): Recording {
  const { record, notes } = request;
  if (request.copy !== null) return { ...request.copy, number: request.number };
  const mask = joinMasks(notes, context);
  // First, because they are replaced in all that follows.
  const secrets = readSecrets(notes, mask);
  const { frame } = notes ?? { frame: null };
  const received = createBudget(MOST_RECEIVED, secrets);
  const payload = copyMasked(frame?.received ?? null, mask, received);
  const { lacks } = received;
  const rest = createBudget(MOST_RECEIVED, secrets);
  const claims = copyMasked(frame?.claims ?? null, mask, rest);
  const claimsLack = rest.lacks;
  const headers = copyMasked(frame?.invocation.headers ?? {}, mask, rest) as JsonObject;
  const works = new Map((notes?.works ?? []).map((work) => [work.key, work]));
  const answered = createBudget(MOST_ANSWER, secrets);
  const isAnswered = notes?.answer !== undefined && record.code === undefined;
  return {
    ...summarizeRecord(request, context),
    id: record.id,
    headers,
    payload,
    claims,
    files: frame?.invocation.files.length ?? 0,
    lacks: lacks ?? claimsLack,
    steps: notes?.steps ?? [],
    stages: record.actions.map((timing) => describeStage(record, timing, works.get(timing.key), mask, secrets)),
    messages: (notes?.messages ?? []).map(({ action, to }) => ({
      action,
      to: copyMasked(to, mask, createBudget(MOST_SENT, secrets)),
    })),
    answer: isAnswered ? copyMasked(notes.answer, mask, answered) : undefined,
    answerLacks: answered.lacks,
    problem: describeProblem(request, context.isDev, (text) => mask.maskText(text, secrets)),
  };
}

/** Secrets of the definitions then and now are masked. */
function joinMasks(notes: RequestNotes | null, { readMask }: RecordContext): RecordMask {
  const now = readMask();
  const then = notes?.mask ?? now;
  if (now === then) return now;
  return {
    masked: now.masked,
    isSecret: (name) => now.isSecret(name) || then.isSecret(name),
    maskText: (text, more) => now.maskText(then.maskText(text, more), more),
  };
}

function readSecrets(notes: RequestNotes | null, mask: RecordMask): string[] {
  const secrets: string[] = [];
  if (notes === null) return secrets;
  collectSecrets(notes.frame.received, mask, secrets);
  collectSecrets(notes.frame.claims, mask, secrets);
  return secrets;
}

/** Newest first. Copies only what called a service. */
export function describeCalls(request: RecordedRequest, context: RecordContext): RecordedCall[] {
  const { number, record, notes, copy } = request;
  const { startedAt } = record;
  const createCalls = (stages: readonly RecordedStage[]): RecordedCall[] =>
    stages.flatMap((stage) => (stage.sent !== null && 'url' in stage.sent ? [{ ...stage, number, startedAt }] : []));
  if (copy !== null) return createCalls(copy.stages).reverse();
  const calls = new Map(
    (notes?.works ?? []).flatMap((work) => ('url' in (readPreview(work) ?? {}) ? [[work.key, work]] : [])),
  );
  if (calls.size === 0) return [];
  const mask = joinMasks(notes, context);
  const secrets = readSecrets(notes, mask);
  return createCalls(
    record.actions.flatMap((timing) => {
      const work = calls.get(timing.key);
      return work === undefined ? [] : [describeStage(record, timing, work, mask, secrets)];
    }),
  ).reverse();
}

function describeStage(
  record: InvocationRecord,
  { key, mode, startedAt, milliseconds, code }: ActionTiming,
  work: WorkNote | undefined,
  mask: RecordMask,
  secrets: string[],
): RecordedStage {
  const begins = Math.max(0, startedAt - record.startedAt);
  return { key, mode, begins, milliseconds, code: code ?? null, ...describeWork(work, mask, secrets) };
}

const NO_WORK = { sent: null, rows: null, endedBy: null } as const;

function describeWork(
  work: WorkNote | undefined,
  mask: RecordMask,
  secrets: string[],
): Pick<Recording['stages'][number], 'sent' | 'rows' | 'endedBy'> {
  if (work === undefined) return NO_WORK;
  const sent = previewWork(work, mask, secrets);
  const rows = work.rows instanceof RawJson ? (countRows(work.rows) ?? null) : work.rows;
  return { sent, rows: sent !== null && 'sql' in sent ? rows : null, endedBy: work.endedBy };
}

/** Null where nothing is sent, or a value is missing, which the work itself reports. */
function readPreview({ frame, payload, action }: WorkNote): Preview | null {
  frame.payload = payload;
  try {
    return action?.preview?.(frame) ?? null;
  } catch {
    return null;
  }
}

function previewWork(work: WorkNote, mask: RecordMask, secrets: string[]): JsonObject | null {
  const preview = readPreview(work);
  if (preview === null) return null;
  const budget = createBudget(MOST_SENT, secrets);
  const { values, ...rest } = preview;
  const sent = copyMasked(rest, mask, budget) as Record<string, Json>;
  if (values === undefined) return sent;
  const bound = Object.entries(values as JsonObject).map(([name, value]): [string, Json] => [
    name,
    value !== null && mask.isSecret(name.split(/[ .]/).at(-1) ?? '') ? mask.masked : copyMasked(value, mask, budget),
  ]);
  return { ...sent, values: Object.fromEntries(bound) };
}

function describeProblem(
  { record, notes }: RecordedRequest,
  isDev: boolean,
  maskText: (text: string) => string,
): RecordedProblem | null {
  if (notes === null || notes.fault === null)
    return record.code === undefined ? null : { code: record.code, action: null, field: null, issues: [], cause: null };
  const { error, action, field } = notes.fault;
  const { code, options, where } = ensureFault(error);
  const { cause, issues = [] } = options;
  return {
    code,
    action: action ?? where.action ?? null,
    field,
    issues: issues.slice(0, 20).map((issue) => ({ pointer: issue.pointer, code: issue.code })),
    cause: isDev && cause instanceof Error ? maskText(cause.message).slice(0, 2000) : null,
  };
}

/** The values of a query may be secrets too. */
function maskTarget(
  target: string | undefined,
  path: string | undefined,
  mask: RecordMask,
  secrets: readonly string[],
): string | null {
  if (target === undefined) return null;
  const mark = target.indexOf('?');
  // What the definition writes is no secret, even if it equals one.
  const written = (path ?? '').split('/');
  const shown = (mark === -1 ? target : target.slice(0, mark))
    .split('/')
    .map((part, at) => (part === written[at] ? part : mask.maskText(part, secrets)))
    .join('/');
  if (mark === -1) return shown;
  const pairs = target
    .slice(mark + 1)
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=');
      return mask.isSecret(name) ? `${name}=${mask.masked}` : mask.maskText(pair, secrets);
    });
  return `${shown}?${pairs.join('&')}`;
}
