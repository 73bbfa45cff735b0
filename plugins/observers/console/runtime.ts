/** Records what requests do, through the hooks and an observer of plans. `cli/console` shows it. */
import type { RecordMask, Recorder, RecordedProblem, RecordedStage, Recording } from '../../../contract/console.js';
import { ensureFault, type Fault } from '../../../contract/fault.js';
import type { Registrar } from '../../../contract/hooks.js';
import type { Json, JsonObject } from '../../../contract/json.js';
import type { Delivery } from '../../../contract/delivery.js';
import type { Frame, Invocation } from '../../../contract/plan.js';
import type { ActionPlan } from '../../../contract/resource-plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { Stage } from '../../../contract/slot.js';
import type { InvocationRecord } from '../../../contract/telemetry.js';
import { observer } from '../kind.js';
import { collectSecrets, copyMasked, createBudget, type CopyBudget } from './masked-copy.js';
import { createPlanRecorder, type PlanNotes } from './plan-recorder.js';
import { createRecordStore } from './record-store.js';

interface Options {
  readonly token?: string;
  readonly writable?: boolean;
  readonly requests?: number;
  readonly bytes?: number;
}

/** A request that has not ended. */
interface Draft {
  readonly invocation: Invocation;
  frame: Frame | null;
  readonly secrets: string[];
  /** Copied once, before anything else of the request: its secrets are replaced in all that follows. */
  received: { readonly payload: Json; readonly lacks: Recording['lacks'] } | null;
  readonly works: Map<string, Pick<RecordedStage, 'sent' | 'rows' | 'endedBy'>>;
  readonly steps: Recording['steps'][number][];
  readonly messages: { readonly action: string; readonly to: Json }[];
  answer: Json | undefined;
  answerLacks: Recording['answerLacks'];
  problem: RecordedProblem | null;
  /** Bytes, about, of the copies. */
  size: number;
}

/** Bytes, about, of one statement or call, of the payload with its headers, and of an answer. */
const MOST_SENT = 4096;
const EMPTY_SIZE = 512;
const ENTRY_SIZE = 160;
const MOST_MESSAGES = 100;
const MOST_RECEIVED = 32_768;
const MOST_ANSWER = 32_768;
/** Requests in progress, beyond which the oldest one is not recorded. */
const MOST_DRAFTS = 1000;

interface ConsoleRecorder extends Recorder {
  register(hooks: Registrar, isDev: boolean): void;
}

export default defineRuntime(observer, {
  create: ({ options, dev = false }) => createConsoleRecorder(options as Options, dev),
  register: (hooks, { dev = false, options }, handle) => {
    // Without a token `lintel serve` shows no page.
    if (dev || (options as Options).token !== undefined) handle().register(hooks, dev);
  },
});

function createConsoleRecorder(options: Options, isDev: boolean): ConsoleRecorder {
  const limits = { requests: options.requests ?? 500, bytes: options.bytes ?? 8_388_608 };
  const store = createRecordStore(limits);
  let readMask: (() => RecordMask) | null = null;
  const drafts = new Map<Invocation, Draft>();
  /** An invocation by what the record says of it. */
  const invocations = new Map<string, Invocation>();

  function openDraft(invocation: Invocation): void {
    if (readMask === null) return;
    for (const [oldest] of drafts) {
      if (drafts.size < MOST_DRAFTS) break;
      forgetDraft(oldest);
    }
    invocations.set(createKey(invocation), invocation);
    drafts.set(invocation, {
      invocation,
      frame: null,
      secrets: [],
      received: null,
      works: new Map(),
      steps: [],
      messages: [],
      answer: undefined,
      answerLacks: null,
      problem: null,
      size: EMPTY_SIZE,
    });
  }

  function forgetDraft(invocation: Invocation): void {
    drafts.delete(invocation);
    invocations.delete(createKey(invocation));
  }

  const notes: PlanNotes = {
    beginFrame(frame) {
      const draft = drafts.get(frame.invocation);
      if (draft !== undefined) draft.frame = frame;
    },
    noteStep(frame, field, action, milliseconds) {
      drafts.get(frame.invocation)?.steps.push({ field, action, milliseconds });
    },
    noteWork(frame, action, result) {
      const draft = drafts.get(frame.invocation);
      if (draft === undefined || readMask === null) return;
      draft.frame ??= frame;
      const budget = createBudget(MOST_SENT, readSecrets(draft));
      const sent = previewWork(action, frame, readMask(), budget);
      draft.size += ENTRY_SIZE + MOST_SENT - budget.left;
      const isStatement = sent !== null && 'sql' in sent;
      draft.works.set(action.key, { sent, rows: isStatement ? countRows(result) : null, endedBy: null });
    },
    noteEnd(frame, action, field) {
      drafts.get(frame.invocation)?.works.set(action, { sent: null, rows: null, endedBy: field });
    },
    noteFault(frame, error, action, field) {
      const draft = drafts.get(frame.invocation);
      if (draft === undefined || draft.problem !== null || readMask === null) return;
      draft.problem = describeFault(
        ensureFault(error),
        action,
        field,
        isDev,
        (text) => readMask?.().maskText(text, readSecrets(draft)) ?? '',
      );
    },
  };

  function copyReceived(draft: Draft, mask: RecordMask): NonNullable<Draft['received']> {
    const budget = createBudget(MOST_RECEIVED, draft.secrets);
    if (draft.received !== null) return draft.received;
    const received = draft.frame?.received ?? null;
    collectSecrets(received, mask, draft.secrets);
    collectSecrets(draft.frame?.claims ?? null, mask, draft.secrets);
    const payload = copyMasked(received, mask, budget);
    draft.size += MOST_RECEIVED - budget.left;
    return (draft.received = { payload, lacks: budget.lacks });
  }

  function readSecrets(draft: Draft): string[] {
    if (draft.frame !== null && readMask !== null) copyReceived(draft, readMask());
    return draft.secrets;
  }

  function recordAnswer(body: unknown, invocation: Invocation): void {
    const draft = drafts.get(invocation);
    if (draft === undefined || readMask === null) return;
    const budget = createBudget(MOST_ANSWER, draft.secrets);
    draft.answer = copyMasked(body, readMask(), budget);
    draft.answerLacks = budget.lacks;
    draft.size += MOST_ANSWER - budget.left;
  }

  function recordMessage({ action, to }: Delivery, { invocation }: Frame): void {
    const draft = drafts.get(invocation);
    if (draft === undefined || readMask === null || draft.messages.length >= MOST_MESSAGES) return;
    draft.messages.push({ action, to: copyMasked(to, readMask(), createBudget(MOST_SENT, draft.secrets)) });
    draft.size += ENTRY_SIZE;
  }

  function recordRequest(record: InvocationRecord): void {
    const invocation = invocations.get(createKey(record));
    const draft = invocation === undefined ? undefined : drafts.get(invocation);
    if (invocation !== undefined) forgetDraft(invocation);
    // Pages of plugins and of the console itself.
    const isPage = record.resource === undefined && (record.code === undefined || record.path !== undefined);
    if (readMask === null || isPage) return;
    store.count(record);
    const mask = readMask();
    const secrets = draft?.secrets ?? [];
    const { payload, lacks } = draft === undefined ? NOTHING : copyReceived(draft, mask);
    const budget = createBudget(MOST_RECEIVED, secrets);
    const claims = copyMasked(draft?.frame?.claims ?? null, mask, budget);
    const claimsLack = budget.lacks;
    const headers = copyMasked(draft?.invocation.headers ?? {}, mask, budget) as JsonObject;
    const recording = {
      id: record.id,
      trigger: record.trigger,
      attempt: record.attempt ?? null,
      resource: record.resource ?? null,
      path: record.path ?? null,
      method: record.method ?? null,
      target: draft?.invocation.target === undefined ? null : maskTarget(draft.invocation.target, mask, secrets),
      status: record.status,
      code: record.code ?? null,
      startedAt: record.startedAt,
      milliseconds: record.milliseconds,
      headers,
      payload,
      claims,
      files: draft?.invocation.files.length ?? 0,
      lacks: lacks ?? claimsLack,
      steps: draft?.steps ?? [],
      stages: record.actions.map(({ key, mode, startedAt, milliseconds, code }) => ({
        key,
        mode,
        begins: Math.max(0, startedAt - record.startedAt),
        milliseconds,
        code: code ?? null,
        ...(draft?.works.get(key) ?? NO_WORK),
      })),
      messages: draft?.messages ?? [],
      answer: draft?.answer,
      answerLacks: draft?.answerLacks ?? null,
      problem: draft?.problem ?? (record.code === undefined ? null : { ...NO_PROBLEM, code: record.code }),
    };
    store.add(recording, (draft?.size ?? EMPTY_SIZE) + MOST_RECEIVED - budget.left);
  }

  return {
    ...store.view,
    get bytes() {
      return store.view.bytes;
    },
    limits,
    token: options.token ?? null,
    isWritable: options.writable === true,
    observer: createPlanRecorder(notes),
    begin: (mask) => void (readMask = mask),
    register(hooks, records) {
      hooks.tap('accept', openDraft, { stage: Stage.FIRST });
      hooks.tap('after-response', recordRequest);
      hooks.tap('broadcast', (message, frame) => {
        recordMessage(message, frame);
        return message;
      });
      // A tap of `reply` costs the results that are passed on as text.
      if (!records) return;
      hooks.tap(
        'reply',
        (reply, invocation) => {
          recordAnswer(reply.body, invocation);
          return reply;
        },
        { stage: Stage.LAST },
      );
    },
  };
}

const NOTHING = { payload: null, lacks: null } as const;
const NO_WORK = { sent: null, rows: null, endedBy: null } as const;
const NO_PROBLEM = { action: null, field: null, issues: [], cause: null } as const;

/** A job has the id of the request that accepted it. */
const createKey = ({ id, trigger, attempt }: Pick<Invocation, 'id' | 'trigger' | 'attempt'>): string =>
  attempt === undefined ? `${trigger} ${id}` : `${trigger} ${id} ${attempt}`;

function previewWork(action: ActionPlan, frame: Frame, mask: RecordMask, budget: CopyBudget): JsonObject | null {
  if (action.preview === null || action.preview === undefined) return null;
  try {
    const { values, ...rest } = action.preview(frame);
    const sent = copyMasked(rest, mask, budget) as Record<string, Json>;
    if (values === undefined) return sent;
    // `$2 profile.pin` is a value for the field `pin`.
    const bound = Object.entries(values as JsonObject).map(([name, value]): [string, Json] => [
      name,
      value !== null && mask.isSecret(name.split(/[ .]/).at(-1) ?? '') ? mask.masked : copyMasked(value, mask, budget),
    ]);
    return { ...sent, values: Object.fromEntries(bound) };
  } catch {
    // The work itself reports what is missing.
    return null;
  }
}

function countRows(result: unknown): number | null {
  if (Array.isArray(result)) return result.length;
  if (result === null || result === undefined) return 0;
  return typeof result === 'object' && Object.getPrototypeOf(result) === Object.prototype ? 1 : null;
}

function describeFault(
  { code, options, where }: Fault,
  action: string | null,
  field: string | null,
  isDev: boolean,
  maskText: (text: string) => string,
): RecordedProblem {
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
function maskTarget(target: string, mask: RecordMask, secrets: readonly string[]): string {
  const mark = target.indexOf('?');
  if (mark === -1) return mask.maskText(target, secrets);
  const pairs = target
    .slice(mark + 1)
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=');
      return mask.isSecret(name) ? `${name}=${mask.masked}` : mask.maskText(pair, secrets);
    });
  return `${mask.maskText(target.slice(0, mark), secrets)}?${pairs.join('&')}`;
}
