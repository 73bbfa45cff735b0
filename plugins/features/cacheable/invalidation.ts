/**
 * Removes cache entries by name after the commit; for a resource also when it fails later, because part may be
 * committed.
 */
import type { Frame, PlanTools, Step } from '../../../contract/plan.js';
import { ActionPhase, ResourcePhase } from '../../../contract/slot.js';
import { readsResults } from '../shared/reads-results.js';
import { compileName } from './keys.js';
import type { CacheEntryStore } from './store.js';

interface PendingRemoval {
  /** Null: a name depends on a result of the request. */
  readonly names: readonly string[] | null;
  done: boolean;
}

export function planInvalidation(
  written: readonly string[],
  slot: string,
  tools: PlanTools,
  store: CacheEntryStore,
): Step[] {
  const namings = written.map((text) => compileName(text, tools));
  const render = (frame: Frame): string[] => namings.map((name) => name(frame));
  // Only names that depend on results may be unresolved before the work.
  const isLate = readsResults(written, tools);
  const memo = tools.allocateSlot();
  const isResource = slot === 'resource';

  const prepareRemoval = (frame: Frame): void => {
    const mine: PendingRemoval = { names: isLate ? null : render(frame), done: false };
    frame.slots[memo] = mine;
    if (isResource)
      frame.invocation.onFinish(() => (mine.done ? undefined : store.remove(mine.names ?? resolveKnownNames(frame))));
  };
  const resolveKnownNames = (frame: Frame): string[] =>
    namings.flatMap((name) => {
      try {
        return [name(frame)];
      } catch {
        return [];
      }
    });
  const removeAfterCommit = (frame: Frame): void | Promise<void> => {
    const mine = frame.slots[memo] as PendingRemoval | undefined;
    if (mine === undefined) return;
    mine.done = true;
    const names = mine.names ?? render(frame);
    return frame.afterCommit(() => store.remove(names, frame));
  };
  return [
    isResource
      ? { id: 'invalidate_cache_keys', phase: ResourcePhase.RECALL, order: 100, run: prepareRemoval }
      : { id: 'invalidate_cache_keys', phase: ActionPhase.PREPARE, order: 200, run: prepareRemoval },
    isResource
      ? { id: 'invalidate_cache_keys', phase: ResourcePhase.SETTLE, takesText: true, run: removeAfterCommit }
      : { id: 'invalidate_cache_keys', phase: ActionPhase.SETTLE, run: removeAfterCommit },
  ];
}
