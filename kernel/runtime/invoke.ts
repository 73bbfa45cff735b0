/** Runs one request from guards to response, for every trigger. It reads no definition. */
import { createFault, ensureFault } from '../../contract/fault.js';
import { FinalResult, type Reply } from '../../contract/reply.js';
import { countRows, RawJson } from '../../contract/raw-json.js';
import { createConflictRetries } from '../../contract/conflict-retry.js';
import { clock } from '../../language/project/clock.js';
import type {
  ActionState,
  ActionTiming,
  Frame,
  Invocation,
  Payload,
  Step,
  StepLimiter,
  Unit,
} from '../../contract/plan.js';
import type { AcceptPlan, ActionGroup, ActionPlan, ResourcePlan } from '../../contract/resource-plan.js';
import { ParallelFrame, createFrame, type FrameMemory, type UnitFrame } from './frame.js';
import type { LiveHooks } from './hooks.js';

/** Throws a Fault that names the resource and the failed actionable. */
export async function invokePlan(plan: ResourcePlan, invocation: Invocation, hooks: LiveHooks): Promise<Reply> {
  let frame: FrameMemory | null = null;
  try {
    const early = hooks.accept === null ? undefined : await hooks.accept(invocation);
    frame = createFrame(invocation, plan);
    const body = early === undefined ? await executePlan(plan, frame, hooks) : early.value;
    const { headers } = frame;
    const status = body instanceof Accepted ? 202 : 200;
    if (hooks.reply === null) return { status, headers, body };
    const isValue = hooks.readsReplies && body instanceof RawJson;
    return await hooks.reply({ status, headers, body: isValue ? body.toJSON() : body }, invocation);
  } catch (error) {
    const failure = ensureFault(error);
    failure.where.resource ??= plan.id;
    failure.lastingHeaders = frame?.lastingHeaders ?? null;
    throw failure;
  }
}

/** The response when all work is deferred. */
class Accepted {
  readonly accepted = true;
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }
}

/** A step that returns `Done` ends the work with its value. */
async function executePlan(plan: ResourcePlan, frame: FrameMemory, hooks: LiveHooks): Promise<unknown> {
  const state: ActionState = { result: null };
  if (plan.admit !== null) {
    const over = runSteps(plan.admit, frame, state);
    if (typeof over === 'boolean' ? over : await over) return state.result;
  }
  const received = frame.invocation.readPayload(plan.files);
  frame.payload = frame.received = received instanceof Promise ? await received : received;
  if (Array.isArray(frame.payload) && !plan.takesList) throw createFault('VAL_NOT_OBJECT');
  if (hooks.beforeValidate !== null) await emitBeforeValidate(plan, frame, hooks.beforeValidate);
  if (plan.check !== null) {
    const over = runSteps(plan.check, frame, state);
    if (typeof over === 'boolean' ? over : await over) return state.result;
  }
  if (plan.accepts === null) {
    const runReply = async (): Promise<void> => void (await prepareReply(plan, frame, state));
    await runGroups(plan.groups, frame, plan.inside ? runReply : null);
    const reply = plan.inside || prepareReply(plan, frame, state);
    if (typeof reply !== 'boolean') await reply;
  } else {
    await runAndAccept(plan, plan.accepts, frame, state, hooks.happening);
    if (plan.accepts.whole && !frame.stopped) return new Accepted(frame.invocation.id);
  }
  const settle = plan.settle !== null && runSteps(plan.settle, frame, state);
  if (typeof settle !== 'boolean') await settle;
  return state.result;
}

function prepareReply(
  { main, reply }: ResourcePlan,
  frame: FrameMemory,
  state: ActionState,
): boolean | Promise<boolean> {
  state.result = main === -1 ? null : frame.results[main];
  return reply !== null && runSteps(reply, frame, state);
}

/** `last` runs inside the last group's unit, before its commit, or after the groups if there is no unit. */
export async function runGroups(
  groups: readonly ActionGroup[],
  frame: FrameMemory,
  last: (() => Promise<void>) | null,
): Promise<void> {
  const end = groups.length - 1;
  let isOver = false;
  for (let at = 0; at <= end; at++) {
    const group = groups[at];
    if (group === undefined) continue;
    const { actions, unit } = group;
    isOver = unit !== null && !group.parallel && at === end;
    if (group.parallel) await runParallel(group, frame);
    else await runGroup(group, frame, frame.payload, isOver ? last : null);
    frame.committedTo = actions.at(-1)?.index ?? frame.committedTo;
    if (frame.stopped) break;
  }
  if (last !== null && !isOver) await last();
}

/** `payload`, `last`: see `runUnit`. Without a unit, `last` runs after the actionables. */
export async function runGroup(
  { actions, unit, turns }: ActionGroup,
  frame: UnitFrame,
  payload: Payload | null,
  last: (() => Promise<void>) | null,
): Promise<void> {
  if (unit !== null) return runWithLimiter(turns, unit, actions, frame, payload, last);
  for (const action of actions) {
    await runAction(action, frame);
    if (frame.stopped) break;
  }
  if (last !== null) await last();
}

/**
 * Accepts deferred work last, in the same unit as the response, so that a failed request leaves no work behind.
 * The payload is converted to its storable form first, because that is slow.
 */
async function runAndAccept(
  plan: ResourcePlan,
  accepts: AcceptPlan,
  frame: FrameMemory,
  state: ActionState,
  notify: LiveHooks['happening'],
): Promise<void> {
  const { payload } = frame;
  if (accepts.seal !== null) await runSteps(accepts.seal, frame, { result: null });
  const sealed = frame.payload;
  frame.payload = payload;
  await runGroups(plan.groups, frame, async () => {
    if (!accepts.whole) await prepareReply(plan, frame, state);
    if (frame.stopped) return;
    await accepts.accept(accepts.parts, frame, sealed, notify);
  });
}

async function emitBeforeValidate(
  plan: ResourcePlan,
  frame: Frame,
  notify: NonNullable<LiveHooks['beforeValidate']>,
): Promise<void> {
  for (const group of plan.groups) for (const action of group.actions) await notify(frame, action);
}

const runAction = (action: ActionPlan, frame: Frame): Promise<void> => {
  const { timings } = frame.invocation;
  return timings === null ? executeAction(action, frame) : runTimed(action, frame, timings);
};

async function runTimed(action: ActionPlan, frame: Frame, timings: ActionTiming[]): Promise<void> {
  const { key, mode } = action;
  const start = performance.now();
  let code: string | undefined;
  try {
    await executeAction(action, frame);
  } catch (error) {
    code = ensureFault(error).code;
    throw error;
  } finally {
    const [startedAt, rows] = [performance.timeOrigin + start, () => countRows(frame.results[action.index])];
    timings.push({ key, mode, startedAt, milliseconds: performance.now() - start, code, rows });
  }
}

async function executeAction(action: ActionPlan, frame: Frame): Promise<void> {
  try {
    const state: ActionState = { result: undefined };
    const before = action.before !== null && runSteps(action.before, frame, state);
    if (typeof before === 'boolean' ? before : await before) {
      // A cache provided the value; it still has to be shaped.
      if (action.shape !== null) await runSteps(action.shape, frame, state);
    } else {
      state.result = await action.execute(frame);
      const after = action.after !== null && runSteps(action.after, frame, state);
      if (typeof after !== 'boolean') await after;
    }
    frame.results[action.index] = state.result;
  } catch (error) {
    const failure = ensureFault(error);
    failure.where.action ??= action.key;
    throw failure;
  }
}

/** Waits for all, so that none runs on after the response. Throws the first failure in order. */
async function runParallel({ actions }: ActionGroup, frame: FrameMemory): Promise<void> {
  const outcomes = await Promise.allSettled(actions.map((action) => runInParallelFrame(action, frame)));
  for (const [at, { status }] of outcomes.entries())
    if (status === 'fulfilled') frame.committedTo = actions[at]?.index ?? frame.committedTo;
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** An actionable of several steps has its own unit. */
const runInParallelFrame = (action: ActionPlan, frame: FrameMemory): Promise<void> =>
  action.always && action.unit !== null
    ? runWithLimiter(action.turns, action.unit, [action], new ParallelFrame(frame), null, null)
    : runAction(action, frame);

async function runWithLimiter(turns: StepLimiter | null, ...work: Parameters<typeof runUnit>): Promise<void> {
  if (turns === null) return runUnit(...work);
  const [, , frame] = work;
  const leave = await turns.acquire(frame);
  try {
    await runUnit(...work);
  } finally {
    leave();
  }
}

/**
 * Runs all actionables in one transaction, with retries. `payload` is restored before a retry, because steps may have transformed
 * it; null where parallel actionables may have changed it. `last` runs before the commit.
 */
async function runUnit(
  unit: Unit,
  actions: readonly ActionPlan[],
  frame: UnitFrame,
  payload: Payload | null,
  last: (() => Promise<void>) | null,
): Promise<void> {
  let isFirst = true;
  const once = async (): Promise<void> => {
    // Slots are not reset, because generated ids must be equal in every attempt.
    if (!isFirst && payload !== null) frame.payload = payload;
    isFirst = false;
    const opened = await unit.open(frame);
    frame.unit = opened;
    try {
      for (const action of actions) {
        await runAction(action, frame);
        if (frame.stopped) break;
      }
      if (last !== null) await last();
      await unit.commit(opened);
    } catch (error) {
      await unit.rollback(opened);
      await frame.flushCallbacks(false);
      frame.stopped = false;
      throw error;
    } finally {
      frame.unit = null;
    }
  };
  await getConflictRetry(unit)(once, (error) => unit.retryable(error), frame);
  return frame.flushCallbacks(true);
}

const getConflictRetry = createConflictRetries(clock);

/** True when a step ended the list with a value, now in `state`. A promise only if a step returns one. */
function runSteps(steps: readonly Step[], frame: Frame, state: ActionState, from = 0): boolean | Promise<boolean> {
  for (let at = from; at < steps.length; at++) {
    const outcome = steps[at]?.run(frame, state);
    if (outcome instanceof Promise) return continueSteps(outcome, steps, frame, state, at + 1);
    if (outcome instanceof FinalResult) return applyFinalResult(outcome, state);
  }
  return false;
}

async function continueSteps(
  waited: Promise<FinalResult | void>,
  steps: readonly Step[],
  frame: Frame,
  state: ActionState,
  from: number,
): Promise<boolean> {
  const outcome = await waited;
  return outcome instanceof FinalResult ? applyFinalResult(outcome, state) : runSteps(steps, frame, state, from);
}

function applyFinalResult({ value }: FinalResult, state: ActionState): true {
  state.result = value;
  return true;
}
