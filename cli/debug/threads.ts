/** The requests, messages and jobs that run while a debugger is attached: each is a thread with its call stack. */
import { createFault, type Fault } from '../../contract/fault.js';
import type { Frame, Invocation, SharedUnit } from '../../contract/plan.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import type { ReachedPlace } from './observer.js';
import { createPlaceKey, type Definitions, type Place, type SourceSpot } from './places.js';
import type { Breakpoint, BreakpointHit } from './breakpoints.js';

export type StopReason = 'breakpoint' | 'step' | 'pause' | 'entry' | 'exception';
export type StepMode = 'run' | 'over' | 'into' | 'out';

export interface Stop {
  readonly reached: ReachedPlace;
  readonly place: Place;
  readonly reason: StopReason;
  readonly fault: Fault | null;
  /** Those that were hit. */
  readonly breakpoints: readonly (Pick<Breakpoint, 'id' | 'target'> & { readonly definitions: Definitions })[];
}

export interface DebugThread {
  readonly id: number;
  readonly invocation: Invocation;
  readonly resource: string;
  stop: Stop | null;
}

export interface ThreadEvents {
  readonly onStart: (thread: DebugThread) => void;
  readonly onStop: (thread: DebugThread, stop: Stop) => void;
  readonly onLog: (hit: BreakpointHit, thread: DebugThread) => void;
  readonly onEnd: (thread: DebugThread) => void;
}

export interface DebuggedServer {
  readonly kernel: Kernel;
  readonly name: string;
  /** Until the function that it returns is called. */
  readonly pauseTime?: (() => () => void) | undefined;
}

export interface ThreadInput extends ThreadEvents {
  readonly definitions: () => Definitions;
  readonly findBreakpoints: (key: string, frame: Frame, place: Place) => BreakpointHit | null;
  /** Whether the client wants to see this rejection or failure. */
  readonly isCaught: (fault: Fault) => boolean;
  readonly findShared: (action: string) => SharedUnit | undefined;
  /** Every request stops at its start. */
  readonly stopsOnEntry: () => boolean;
  readonly pauseTime: DebuggedServer['pauseTime'];
}

export interface Threads {
  list(): readonly DebugThread[];
  find(id: number): DebugThread | undefined;
  reach(reached: ReachedPlace): Promise<void> | null;
  reachFault(reached: ReachedPlace, fault: Fault): Promise<void> | null;
  /** False where the thread is not stopped. */
  resume(id: number, mode: StepMode): boolean;
  /** At the next place of the thread; null: of any. */
  pause(id: number | null): void;
  /** `cut`: stopped requests end with a problem, and open transactions are rolled back. */
  endAll(how: 'go on' | 'cut'): void;
}

interface RunningThread extends DebugThread {
  mode: StepMode;
  /** Of the place where the last step began. */
  from: { readonly depth: number; readonly action: string | null } | null;
  isPausing: boolean;
  readonly entered: Set<string>;
  release: ((fault: Fault | null) => void) | null;
  /** Resolves when the present stop is over. */
  over: Promise<void> | null;
}

/** Milliseconds. Servers roll back a transaction in which nothing happens for some 40 seconds. */
const REFRESH_MS = 10_000;

/** Stands for the server: a client can pause only what it lists as a thread. */
export const SERVER_THREAD = 1;

export function createThreads(input: ThreadInput): Threads {
  const byInvocation = new Map<Invocation, RunningThread>();
  let last = SERVER_THREAD;
  let isPausing = false;

  function findThread({ frame: { invocation }, place: { resource } }: ReachedPlace): RunningThread {
    const known = byInvocation.get(invocation);
    if (known !== undefined) return known;
    const thread: RunningThread = {
      id: ++last,
      invocation,
      resource,
      stop: null,
      mode: 'run',
      from: null,
      isPausing: false,
      entered: new Set<string>(),
      release: null,
      over: null,
    };
    byInvocation.set(invocation, thread);
    invocation.onFinish(() => {
      byInvocation.delete(invocation);
      input.onEnd(thread);
    });
    input.onStart(thread);
    return thread;
  }

  const measureDepth = ({ resource, action, field }: Place, isOfAction: boolean): number =>
    1 +
    (action === null || !isOfAction
      ? 0
      : input.definitions().listCallers(resource, action).length + (field === null ? 0 : 1));

  /** The callers of a dependency are entered before it runs. */
  function listPlaces(thread: RunningThread, { place, action }: ReachedPlace): Place[] {
    if (action === null || thread.entered.has(action.key)) return [place];
    thread.entered.add(action.key);
    const callers = [...input.definitions().listCallers(place.resource, action.key)].reverse();
    const entered = callers.filter((key) => !thread.entered.has(key));
    for (const key of entered) thread.entered.add(key);
    return [...entered.map((key): Place => ({ ...place, action: key, field: null, moment: 'enter' })), place];
  }

  function decideStop(
    thread: RunningThread,
    reached: ReachedPlace,
    place: Place,
  ): Omit<Stop, 'reached' | 'fault'> | null {
    const { action, field, moment } = place;
    const hit = moment === 'enter' ? null : input.findBreakpoints(createPlaceKey(place), reached.frame, place);
    if (hit !== null && hit.logs.length > 0) input.onLog(hit, thread);
    if (hit !== null && hit.stops.length > 0)
      return {
        ...{ place, reason: 'breakpoint' },
        breakpoints: hit.stops.map(({ id, target }) => ({ id, target, definitions: input.definitions() })),
      };
    if (field !== null && !input.definitions().hasField(place)) return null;
    const stopBecause = (reason: StopReason) => ({ place, reason, breakpoints: [] });
    if (isPausing || thread.isPausing) return stopBecause('pause');
    if (action === null && moment === 'before' && input.stopsOnEntry()) return stopBecause('entry');
    return isStepEnd(thread, place, measureDepth(place, reached.action !== null)) ? stopBecause('step') : null;
  }

  function isStepEnd({ mode, from }: RunningThread, { action }: Place, depth: number): boolean {
    if (mode === 'run' || from === null) return false;
    if (mode === 'into') return true;
    if (mode === 'over') return depth <= from.depth;
    // Out of an actionable in its own turn, the next thing of the resource follows.
    return from.depth === 1 ? depth === 1 && action !== from.action : depth < from.depth;
  }

  function reachPlace(reached: ReachedPlace): Promise<void> | null {
    const thread = findThread(reached);
    const places = listPlaces(thread, reached);
    for (const [at, place] of places.entries()) {
      const found = decideStop(thread, reached, place);
      if (found !== null) return stopInTurn(thread, reached, found, places.slice(at + 1));
    }
    return null;
  }

  async function stopInTurn(
    thread: RunningThread,
    reached: ReachedPlace,
    first: Omit<Stop, 'reached' | 'fault'>,
    rest: readonly Place[],
  ): Promise<void> {
    await holdThread(thread, { ...first, reached, fault: null });
    for (const place of rest) {
      const found = decideStop(thread, reached, place);
      if (found !== null) await holdThread(thread, { ...found, reached, fault: null });
    }
  }

  /** Parallel actionables of one request stop one after another. Rejects when the debugger was cut off. */
  async function holdThread(thread: RunningThread, stop: Stop): Promise<void> {
    while (thread.over !== null) await thread.over;
    const { reached, place } = stop;
    const { frame } = reached;
    const since = performance.now();
    const resumeTime = input.pauseTime?.();
    thread.mode = 'run';
    thread.from = { depth: measureDepth(place, reached.action !== null), action: place.action };
    isPausing = thread.isPausing = false;
    thread.stop = stop;
    const released = new Promise<Fault | null>((resolve) => (thread.release = resolve));
    thread.over = released.then(() => undefined);
    const timer = setInterval(() => void refreshTransaction(frame, reached.action?.key ?? null), REFRESH_MS);
    input.onStop(thread, stop);
    const fault = await released;
    clearInterval(timer);
    resumeTime?.();
    frame.invocation.extendDeadline?.(performance.now() - since);
    if (fault !== null) throw fault;
  }

  async function refreshTransaction(frame: Frame, action: string | null): Promise<void> {
    const shared = action === null ? undefined : input.findShared(action);
    const { execute } = (shared?.handle ?? {}) as { execute?: (...args: unknown[]) => Promise<unknown> };
    if (frame.unit === null || shared === undefined || execute === undefined) return;
    // A transaction that has failed needs no time.
    await execute('SELECT 1', [], shared.of(frame.unit)).catch(() => undefined);
  }

  function release(thread: RunningThread, fault: Fault | null): void {
    const { release: resume } = thread;
    thread.stop = thread.release = thread.over = null;
    resume?.(fault);
  }

  const findById = (id: number): RunningThread | undefined => [...byInvocation.values()].find((one) => one.id === id);

  return {
    list: () => [...byInvocation.values()],
    find: findById,
    reach: reachPlace,
    reachFault(reached, fault) {
      if (!input.isCaught(fault)) return null;
      const thread = findThread(reached);
      return holdThread(thread, { reached, place: reached.place, reason: 'exception', fault, breakpoints: [] });
    },
    resume(id, mode) {
      const thread = findById(id);
      if (thread === undefined || thread.stop === null) return false;
      thread.mode = mode;
      release(thread, null);
      return true;
    },
    pause(id) {
      const thread = id === null ? undefined : findById(id);
      if (thread === undefined) isPausing = true;
      else thread.isPausing = true;
    },
    endAll(how) {
      const all = [...byInvocation.values()];
      byInvocation.clear();
      isPausing = false;
      for (const thread of all) {
        thread.mode = 'run';
        release(thread, how === 'cut' ? createFault('REQ_DEBUGGER') : null);
      }
    },
  };
}

export interface StackLevel {
  readonly name: string;
  readonly place: Place;
  readonly spot: SourceSpot | null;
  readonly isTop: boolean;
}

const MOMENTS = { enter: 'before its dependencies', before: 'before', step: '', after: 'after' } as const;

/** The place, the actionables that wait for it, and the resource. */
export function buildStack(thread: DebugThread, stop: Stop, all: Definitions, kernel: Kernel): StackLevel[] {
  const { place, fault } = stop;
  const { resource, action, field, moment } = place;
  const top = {
    name: [action ?? resource, field ?? (fault === null ? MOMENTS[moment] : '')]
      .filter((part) => part !== '')
      .join(' · '),
    place,
    spot: locateStop(stop, all),
    isTop: true,
  };
  const waiting = action === null ? [] : all.listCallers(resource, action);
  const callers = waiting.map((key): StackLevel => {
    const at: Place = { resource, action: key, field: null, moment: 'enter' };
    return { name: `${key} · waits`, place: at, spot: all.locate(at), isTop: false };
  });
  const origin = describeThread(thread, kernel);
  if (action === null) return [{ ...top, name: `${top.name} · ${origin}` }];
  const whole: Place = { resource, action: null, field: null, moment: 'before' };
  return [top, ...callers, { name: origin, place: whole, spot: all.locate(whole), isTop: false }];
}

/** At the rule of a breakpoint unless a save has moved it, or of the field that the first issue names. */
function locateStop({ place, fault, breakpoints }: Stop, definitions: Definitions): SourceSpot | null {
  const [hit] = breakpoints;
  if (hit?.target && hit.definitions === definitions) return hit.target.spot;
  const name = fault?.options.issues?.[0]?.pointer.split('/').at(-1) ?? '';
  return (name === '' ? null : definitions.locateInside(place, name)) ?? definitions.locate(place);
}

/** `POST /wallet/transfer`, `job of mails/send, attempt 2`. */
export function describeThread({ invocation, resource }: DebugThread, kernel: Kernel): string {
  const path = kernel.plans().byId.get(resource)?.path ?? resource;
  const { trigger, attempt } = invocation;
  if (trigger === 'http') return `/${path}`;
  return `${trigger} /${path}${attempt === undefined ? '' : `, attempt ${attempt}`}`;
}
