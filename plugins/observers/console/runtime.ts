/** Records what requests do, through the hooks and an observer of plans. `cli/console` shows it. */
import type { RecordMask, Recorder } from '../../../contract/console.js';
import type { Registrar } from '../../../contract/hooks.js';
import type { ActionTiming, Frame } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { countRows, RawJson } from '../../../contract/raw-json.js';
import type { InvocationRecord } from '../../../contract/telemetry.js';
import { observer } from '../kind.js';
import { describeRecord, type RecordContext, type RequestNotes } from './describe-record.js';
import { estimateSize } from './masked-copy.js';
import { createPlanRecorder, type PlanNotes } from './plan-recorder.js';
import { createRecordStore } from './record-store.js';

interface Options {
  readonly token?: string;
  readonly writable?: boolean;
  readonly requests?: number;
  readonly bytes?: number;
}

/** Bytes, about, of a record without values. */
const EMPTY_SIZE = 4096;
/** Larger requests are copied within bounds instead of being held. */
const MOST_HELD = 65_536;
const MOST_COPIED = 98_304;
const MOST_MESSAGES = 100;
/** Requests in progress, beyond which the oldest one is not recorded. */
const MOST_NOTES = 1000;

interface ConsoleRecorder extends Recorder {
  register(hooks: Registrar): void;
}

export default defineRuntime(observer, {
  create: ({ options, dev = false }) => createConsoleRecorder(options as Options, dev),
  register: (hooks, { dev = false, options }, handle) => {
    // Without a token `lintel serve` shows no page.
    if (dev || (options as Options).token !== undefined) handle().register(hooks);
  },
});

function createConsoleRecorder(options: Options, isDev: boolean): ConsoleRecorder {
  const limits = { requests: options.requests ?? 500, bytes: options.bytes ?? 8_388_608 };
  let readMask: (() => RecordMask) | null = null;
  const context: RecordContext = { readMask: () => (readMask ?? refuseMask)(), isDev };
  const store = createRecordStore(limits, context);
  /** By the timings of the invocation, which its record has too. */
  const running = new Map<readonly ActionTiming[], RequestNotes>();

  function beginNotes(frame: Frame): RequestNotes | null {
    const { timings } = frame.invocation;
    if (readMask === null || timings === null) return null;
    if (running.size >= MOST_NOTES)
      for (const [oldest] of running) {
        running.delete(oldest);
        break;
      }
    const begun: RequestNotes = {
      frame,
      mask: readMask(),
      works: [],
      steps: null,
      messages: null,
      answer: undefined,
      fault: null,
    };
    running.set(timings, begun);
    return begun;
  }

  /** Background work has no step that begins it. */
  const findNotes = (frame: Frame): RequestNotes | null =>
    running.get(frame.invocation.timings ?? NO_TIMINGS) ?? beginNotes(frame);

  const notes: PlanNotes = {
    begin: (frame) => void beginNotes(frame),
    noteStep(frame, field, action, milliseconds) {
      const found = findNotes(frame);
      if (found !== null) (found.steps ??= []).push({ field, action, milliseconds });
    },
    noteWork(frame, action, result) {
      const rows = result instanceof RawJson ? result : (countRows(result) ?? null);
      findNotes(frame)?.works.push({ key: action.key, action, frame, payload: frame.payload, rows, endedBy: null });
    },
    noteEnd(frame, key, field) {
      findNotes(frame)?.works.push({ key, action: null, frame, payload: frame.payload, rows: null, endedBy: field });
    },
    noteFault(frame, error, action, field) {
      const found = findNotes(frame);
      if (found !== null) found.fault ??= { error, action, field };
    },
    // What `lintel serve` responds is not recorded.
    noteAnswer: isDev
      ? (frame, value) => {
          const found = findNotes(frame);
          if (found !== null) found.answer = value;
        }
      : null,
  };

  function recordRequest(record: InvocationRecord): void {
    const found = running.get(record.actions) ?? null;
    if (found !== null) running.delete(record.actions);
    // Pages of plugins and of the console itself.
    const isPage = record.resource === undefined && (record.code === undefined || record.path !== undefined);
    if (readMask === null || isPage) return;
    store.count(record);
    const size = EMPTY_SIZE + measureNotes(found);
    if (size <= MOST_HELD) return store.add({ record, notes: found, copy: null, size });
    const copy = describeRecord({ number: 0, record, notes: found, copy: null, size }, context);
    store.add({ record, notes: null, copy, size: Math.min(size, MOST_COPIED) });
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
    register(hooks) {
      hooks.tap('after-response', recordRequest);
      hooks.tap('broadcast', (message, frame) => {
        const found = findNotes(frame);
        const { action, to } = message;
        if (found === null) return message;
        const messages = (found.messages ??= []);
        if (messages.length < MOST_MESSAGES) messages.push({ action, to });
        return message;
      });
    },
  };
}

function refuseMask(): never {
  throw new Error('nothing is recorded yet');
}

const NO_TIMINGS: readonly ActionTiming[] = [];

/** Bytes, about, of what a record would hold. */
function measureNotes(notes: RequestNotes | null): number {
  if (notes === null) return 0;
  const { frame, answer, messages } = notes;
  let size = estimateSize(frame.received) + estimateSize(frame.claims) + estimateSize(answer);
  for (const result of frame.results) if (result !== answer) size += estimateSize(result);
  for (const { to } of messages ?? []) size += estimateSize(to);
  return size;
}
