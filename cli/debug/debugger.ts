/** The debugger of one kernel: what a session asks, and what it puts into plans while one is attached. */
import type { Kernel } from '../../kernel/runtime/kernel.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import { createBreakpoints, type Breakpoint, type Breakpoints, type LogReader } from './breakpoints.js';
import type { Frame } from '../../contract/plan.js';
import type { ReadPath } from './expression.js';
import { createPlanFacts, createPlanObserver, type PlanFacts } from './observer.js';
import { createDefinitions, type Definitions } from './places.js';
import { createScopeReader, type ScopeReader } from './scopes.js';
import { collectFrameSecrets, createSecretMask, maskValue, MASKED, NO_MASK, type SecretMask } from './secrets.js';
import { createThreads, type DebuggedServer, type ThreadEvents, type Threads } from './threads.js';
import type { Fault } from '../../contract/fault.js';

export interface DebuggerEvents extends ThreadEvents {
  /** A reload has moved them. */
  readonly onMove: (breakpoints: readonly Breakpoint[]) => void;
}

export interface AttachOptions {
  readonly stopOnEntry: boolean;
  readonly showSecrets: boolean;
}

export interface Debugger {
  readonly breakpoints: Breakpoints;
  readonly threads: Threads;
  readonly facts: PlanFacts;
  readonly scopes: ScopeReader;
  readonly kernel: Kernel;
  readonly serverName: string;
  readonly definitions: () => Definitions;
  readonly mask: () => SecretMask;
  /** Which rejections and failures stop. */
  readonly isCaught: (fault: Fault) => boolean;
  readonly catchFaults: (isCaught: (fault: Fault) => boolean) => void;
  /** No plan has stops afterwards. `cut`: stopped requests end with a problem. */
  detach(how: 'go on' | 'cut'): Promise<void>;
}

/** Resolves when all plans have stops, for requests that begin then. */
export async function attachDebugger(
  { kernel, name, pauseTime }: DebuggedServer,
  { stopOnEntry, showSecrets }: AttachOptions,
  events: DebuggerEvents,
  before: Debugger | null = null,
): Promise<Debugger> {
  const facts = createPlanFacts();
  const breakpoints = before?.breakpoints ?? createBreakpoints();
  const scopes = createScopeReader(facts, kernel);
  let isAttached = true;
  let isCaught: (fault: Fault) => boolean = before?.isCaught ?? (() => false);
  let known: { readonly analysis: Analysis; readonly definitions: Definitions; mask: SecretMask | null } | null = null;

  function readKnown(): NonNullable<typeof known> {
    const analysis = kernel.analysis();
    if (known?.analysis === analysis) return known;
    const definitions = createDefinitions(kernel, analysis, facts.order, (key) => facts.steps.has(key));
    known = { analysis, definitions, mask: showSecrets ? NO_MASK : null };
    const moved = breakpoints.update(definitions);
    if (moved.length > 0) events.onMove(moved);
    return known;
  }

  const readDefinitions = (): Definitions => readKnown().definitions;
  const readMask = (): SecretMask => (readKnown().mask ??= createSecretMask(kernel));
  const threads = createThreads({
    ...events,
    definitions: readDefinitions,
    findBreakpoints: (key, frame, place) => {
      const read = scopes.createPathReader(frame, place);
      return breakpoints.find(key, read, createLogReader(read, readMask(), frame));
    },
    isCaught: (fault) => isCaught(fault),
    findShared: (action) => facts.shared.get(action),
    stopsOnEntry: () => stopOnEntry,
    pauseTime,
  });
  const observer = createPlanObserver(
    {
      isAttached: () => isAttached,
      reach: (reached) => threads.reach(reached),
      reachFault: (reached, fault) => threads.reachFault(reached, fault),
    },
    facts,
  );
  await kernel.observePlans(observer);
  if (before !== null) readKnown();
  const removeListener = kernel.running.onPlansReloaded(() => void readKnown());
  return {
    breakpoints,
    threads,
    facts,
    scopes,
    kernel,
    serverName: name,
    definitions: readDefinitions,
    mask: readMask,
    isCaught: (fault) => isCaught(fault),
    catchFaults: (next) => (isCaught = next),
    async detach(how) {
      if (!isAttached) return;
      isAttached = false;
      removeListener();
      threads.endAll(how);
      await kernel.observePlans(null);
    },
  };
}

function createLogReader(read: ReadPath, mask: SecretMask, frame: Frame): LogReader {
  return {
    read(path, root) {
      const value = read(path, root);
      return value !== undefined && mask.isSecret(path.at(-1) ?? '') ? MASKED : value;
    },
    format(value) {
      const shown = maskValue(value, mask, collectFrameSecrets(frame, mask));
      return typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? 'undefined');
    },
  };
}
