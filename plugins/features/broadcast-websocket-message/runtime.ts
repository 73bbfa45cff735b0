/** Publishes the result of an actionable to clients after the commit; the response waits for nothing of it. */
import { Fault } from '../../../contract/fault.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { RuntimeServices } from '../../../contract/deferred.js';
import type { Delivery, Target } from '../../../contract/delivery.js';
import type { Frame, PlanTools, Reader, Step } from '../../../contract/plan.js';
import { defineRuntime, type Log } from '../../../contract/plugin.js';
import { RawJson } from '../../../contract/raw-json.js';
import { ActionPhase } from '../../../contract/slot.js';
import { createHider } from '../../../language/strings/hide-secrets.js';
import { broadcast } from '../../broadcasts/kind.js';
import { feature } from '../kind.js';
import { relay, type Relay } from '../../relays/kind.js';
import { readsResults } from '../shared/reads-results.js';
import { listDistinctNames, listWrittenNames, changeRows, pickFields, createPickers } from '../shared/pick-fields.js';

const ID = 'broadcast_websocket_message';

export default defineRuntime(feature, {
  create: ({ resolve, running, log }) => ({
    plan: ({ value: { [ID]: settings }, holder }, tools) => {
      const written = isObject(settings) ? settings : {};
      const to = resolve(broadcast, asText(written['broadcast_type'])).plan(written, tools);
      const show = createResultFilter(holder, tools);
      const send = createSender(resolve(relay, 'relay'), running, log, tools.place);
      const action = asText(written['action']);
      const publishResult = (target: Target, result: unknown, frame: Frame): void | Promise<void> => {
        if ('uids' in target && target.uids.length === 0) return;
        const message = { action, data: show(result), to: target, id: null };
        return frame.afterCommit(() => send(message, frame));
      };
      return { steps: createSteps(to, publishResult, readsResults(written, tools) ? null : tools.allocateSlot()) };
    },
  }),
});

/**
 * `early`: the slot for targets resolved before the action, so that invalid ones fail early; null: they depend on its
 * result.
 */
function createSteps(
  to: Reader<Target>,
  publishResult: (target: Target, result: unknown, frame: Frame) => void | Promise<void>,
  early: number | null,
): Step[] {
  const resolveTarget = (frame: Frame): Target => {
    if (early === null) return to(frame);
    // An actionable answered from its cache skips PREPARE.
    return (frame.slots[early] ??= to(frame)) as Target;
  };
  const settle: Step = {
    id: ID,
    phase: ActionPhase.SETTLE,
    order: 100,
    run: (frame, { result }) => publishResult(resolveTarget(frame), result, frame),
  };
  if (early === null) return [settle];
  const run = (frame: Frame): void => void (frame.slots[early] = to(frame));
  return [{ id: ID, phase: ActionPhase.PREPARE, run }, settle];
}

/** The actionable's own `returnables`, else those of the resource; without either, all but secret fields. */
function createResultFilter(holder: Readonly<Record<string, Json>>, tools: PlanTools): (result: unknown) => Json {
  const own = listWrittenNames(holder['returnables']);
  const above = listWrittenNames(tools.owner['returnables']);
  const hide = createHider(tools.allSecrets, own ?? above ?? [], tools.conceals);
  const picked =
    own === null && above !== null ? createPickers(listDistinctNames(tools.owner['returnables']) ?? []) : null;
  return (result) => {
    const plain = copyResult(result);
    return hide(picked === null ? plain : changeRows(plain, (row) => pickFields(row, picked))) as Json;
  };
}

/** A deep copy: later changes for the response, such as a token, must not reach the receivers. */
function copyResult(result: unknown): unknown {
  const text =
    result instanceof RawJson ? Buffer.from(result.json).toString() : (JSON.stringify(result) as string | undefined);
  return JSON.parse(text ?? 'null') as unknown;
}

function createSender(
  to: Relay,
  running: RuntimeServices | undefined,
  log: Log,
  place: string,
): (message: Delivery, frame: Frame) => Promise<void> {
  const logFailure = (error: unknown): void => {
    const code = error instanceof Fault ? error.code : undefined;
    // The relay itself logs once that it is unavailable.
    if (code === 'RLY_AWAY') log.debug({ place }, 'message sent only to clients of this process');
    else log.error({ place, code, err: error }, 'message to connected clients not sent');
  };
  return async (message, frame) => {
    try {
      const announced = running === undefined ? message : await running.publish(message, frame);
      void to.publish(announced).catch(logFailure);
    } catch (error) {
      logFailure(error);
    }
  };
}
