/**
 * `multi`: one statement per item of a list, in one transaction. Each item has its own frame, in which its fields
 * take precedence; all values are read first.
 */
import { Fault, createFault } from '../../../contract/fault.js';
import type { Issue } from '../../../contract/problem.js';
import { isObject } from '../../../contract/json.js';
import type { Frame, ParameterPlan, Payload, PlanTools, Preview, Repeat } from '../../../contract/plan.js';

/** Maximum of other payload fields times items: each item sees them all. */
const MAX_SHARED_VALUES = 200_000;

export interface Repeatable<Bound> {
  readonly parameters: readonly ParameterPlan[];
  /** Statements sent in parallel; no further portion is sent after a failure. */
  readonly batchSize: number;
  readonly bind: (frame: Frame) => Bound;
  readonly run: (bound: Bound, unit: unknown) => Promise<readonly unknown[]>;
  /** Returns the fault with issues that point at payload fields. */
  readonly named: (error: Fault) => Fault;
}

export interface RepeatedRun {
  readonly execute: (frame: Frame) => Promise<unknown>;
  readonly previewFirst: (frame: Frame, previewItem: (item: Frame) => Preview) => Preview;
}

interface Items {
  readonly list: readonly unknown[];
  /** Null for a list from elsewhere. */
  readonly pointer: string | null;
  readonly around: Payload;
}

const NOTHING: Payload = Object.freeze({});

export function createRepeatedRun<Bound>(statement: Repeatable<Bound>, repeat: Repeat, tools: PlanTools): RepeatedRun {
  const kept = tools.allocateSlot();
  const plain = isItemName(statement, repeat.name) ? repeat.name : null;
  return {
    async execute(frame) {
      const items = readItems(frame, repeat);
      const frames = createFrames(frame, items, plain, kept);
      frame.slots[kept] = frames;
      return runAll(statement, items, frames, frame.unit);
    },
    previewFirst(frame, previewItem) {
      const items = readItems(frame, repeat);
      const { length } = items.list;
      if (length === 0) return { item: 'none: the list is empty' };
      const frames = createFrames(frame, { ...items, list: items.list.slice(0, 1) }, plain, kept);
      frame.slots[kept] ??= frames;
      const [first] = frames;
      return { item: `1 of ${length}`, ...(first && previewItem(first)) };
    },
  };
}

/** The item itself, which may be a scalar. */
const isItemName = ({ parameters }: Pick<Repeatable<never>, 'parameters'>, name: string | null): boolean =>
  name !== null && parameters.some(({ label }) => label === name || label === `$PAYLOAD.${name}`);

function readItems(frame: Frame, { body, pointer, read, name, optional }: Repeat): Items {
  if (Array.isArray(frame.payload)) {
    if (body) return { list: frame.payload, pointer: '', around: NOTHING };
    // A list payload has no named fields.
    if (pointer !== null) throw createFault('VAL_NOT_OBJECT');
  }
  const around = Array.isArray(frame.payload) ? NOTHING : frame.payload;
  const list = read(frame);
  if (Array.isArray(list)) return { list: list as readonly unknown[], pointer, around };
  if (optional && (list === undefined || list === null)) return { list: [], pointer, around };
  const where = pointer ?? '';
  const issues: Issue[] = [{ pointer: where, code: 'QRY_NO_LIST', detail: 'must be a list' }];
  throw createFault('QRY_NO_LIST', { what: name === null ? 'The body' : `"${name}"` }, { issues });
}

/** A retried transaction reuses generated values. */
function createFrames(frame: Frame, { list, pointer, around }: Items, plain: string | null, kept: number): Frame[] {
  if (Object.keys(around).length * list.length > MAX_SHARED_VALUES) throw createFault('QRY_TOO_WIDE');
  const earlier = (frame.slots[kept] ?? []) as readonly Frame[];
  const frames = list.map((item, index) => {
    const own = frame.forkFrame(mergePayload(item, around, plain, `${pointer ?? ''}/${index}`), earlier[index]);
    own.unit = frame.unit;
    return own;
  });
  return frames;
}

/** Fields of the item take precedence over other payload fields. */
function mergePayload(item: unknown, around: Payload, plain: string | null, pointer: string): Payload {
  if (isObject(item)) return plain === null ? { ...around, ...item } : { ...around, ...item, [plain]: item };
  if (plain !== null) return { ...around, [plain]: item };
  const issues: Issue[] = [{ pointer, code: 'QRY_ITEM', detail: 'must be an object' }];
  throw createFault('QRY_ITEM', {}, { issues });
}

async function runAll<Bound>(
  statement: Repeatable<Bound>,
  items: Items,
  frames: readonly Frame[],
  unit: unknown,
): Promise<unknown[]> {
  const { bind, run, batchSize: size } = statement;
  const bound = frames.map((frame, index) => {
    try {
      return bind(frame);
    } catch (error) {
      throw locateError(error, statement, items, index);
    }
  });
  const results: unknown[] = [];
  for (let from = 0; from < bound.length; from += size) {
    const batchSize = bound.slice(from, from + size);
    const outcomes = await Promise.allSettled(batchSize.map((values) => run(values, unit)));
    for (const [offset, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') throw locateError(outcome.reason, statement, items, from + offset);
      appendRows(results, outcome.value);
    }
  }
  return results;
}

/** All rows are kept; an item without rows contributes null. */
function appendRows(results: unknown[], rows: readonly unknown[]): void {
  if (rows.length === 0) results.push(null);
  else for (const row of rows) results.push(row);
}

/** From `/email` to `/3/email`, unless the value is from elsewhere. */
function locateError(
  error: unknown,
  { named }: Pick<Repeatable<never>, 'named'>,
  { list, pointer, around }: Items,
  index: number,
): unknown {
  if (!(error instanceof Fault)) return error;
  const renamed = named(error);
  const { issues } = renamed.options;
  if (issues === undefined || pointer === null) return renamed;
  const item = list[index];
  const base = `${pointer}/${index}`;
  const moved = issues.map((issue) => {
    const field = issue.pointer.split('/')[1] ?? '';
    if (!isObject(item)) return { ...issue, pointer: base };
    const beside = !Object.hasOwn(item, field) && Object.hasOwn(around, field);
    return beside ? issue : { ...issue, pointer: `${base}${issue.pointer}` };
  });
  return new Fault(renamed.code, renamed.params, { ...renamed.options, issues: moved });
}
