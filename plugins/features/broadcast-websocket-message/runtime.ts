/**
 * Publishes the result of an actionable to connected clients after the commit; the response waits neither for the relay nor for
 * its errors. The fields that receivers see are resolved at load.
 */
import { Fault } from '../../../contract/fault.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { Delivery, Running, Target } from '../../../contract/deferred.js';
import type { Frame, PlanTools, Reader, Step } from '../../../contract/plan.js';
import { defineRuntime, type Log } from '../../../contract/plugin.js';
import { Rendered } from '../../../contract/rendered.js';
import { ActionPhase } from '../../../contract/slot.js';
import { hider } from '../../../language/strings/hidden.js';
import { broadcast } from '../../broadcasts/kind.js';
import { feature } from '../kind.js';
import { relay, type Relay } from '../../relays/kind.js';
import { readsResults } from '../shared/late.js';
import { namesListed, namesWritten, onEach, pick, pickers } from '../shared/picked.js';

const ID = 'broadcast_websocket_message';

export default defineRuntime(feature, {
  create: ({ resolve, running, log }) => ({
    plan: ({ value: { [ID]: settings }, holder }, tools) => {
      const written = isObject(settings) ? settings : {};
      const to = resolve(broadcast, asText(written['broadcast_type'])).plan(written, tools);
      const show = showing(holder, tools);
      const send = sender(resolve(relay, 'relay'), running, log, tools.place);
      const action = asText(written['action']);
      const tell = (target: Target, result: unknown, frame: Frame): void | Promise<void> => {
        if ('uids' in target && target.uids.length === 0) return;
        const message = { action, data: show(result), to: target, id: null };
        return frame.whenCommitted(() => send(message, frame));
      };
      return { steps: steps(to, tell, readsResults(written, tools) ? null : tools.memo()) };
    },
  }),
});

/**
 * `early`: the slot for targets resolved before the action runs, so that invalid targets fail early; null: they depend on its
 * result.
 */
function steps(
  to: Reader<Target>,
  tell: (target: Target, result: unknown, frame: Frame) => void | Promise<void>,
  early: number | null,
): Step[] {
  const known = (frame: Frame): Target => {
    if (early === null) return to(frame);
    // An actionable answered from its cache skips PREPARE.
    return (frame.slots[early] ??= to(frame)) as Target;
  };
  const settle: Step = {
    id: ID,
    phase: ActionPhase.SETTLE,
    order: 100,
    run: (frame, { result }) => tell(known(frame), result, frame),
  };
  if (early === null) return [settle];
  const run = (frame: Frame): void => void (frame.slots[early] = to(frame));
  return [{ id: ID, phase: ActionPhase.PREPARE, run }, settle];
}

/**
 * The actionable's own `returnables` decide, then those of the resource; without either, everything except secret fields is
 * sent.
 */
function showing(holder: Readonly<Record<string, Json>>, tools: PlanTools): (result: unknown) => Json {
  const own = namesWritten(holder['returnables']);
  const above = namesWritten(tools.owner['returnables']);
  const hide = hider(tools.allSecrets, own ?? above ?? [], tools.conceals);
  const picked = own === null && above !== null ? pickers(namesListed(tools.owner['returnables']) ?? []) : null;
  return (result) => {
    const plain = plainly(result);
    return hide(picked === null ? plain : onEach(plain, (row) => pick(row, picked))) as Json;
  };
}

/** A deep copy: later changes to the result for the response, such as an added token, must not reach the receivers. */
function plainly(result: unknown): unknown {
  const text =
    result instanceof Rendered ? Buffer.from(result.json).toString() : (JSON.stringify(result) as string | undefined);
  return JSON.parse(text ?? 'null') as unknown;
}

function sender(
  to: Relay,
  running: Running | undefined,
  log: Log,
  place: string,
): (message: Delivery, frame: Frame) => Promise<void> {
  const tell = (error: unknown): void => {
    const code = error instanceof Fault ? error.code : undefined;
    // The relay itself logs once that it is unavailable.
    if (code === 'RLY_AWAY') log.debug({ place }, 'a message reached the clients of this process only');
    else log.error({ place, code, err: error }, 'a message to connected clients was not sent');
  };
  return async (message, frame) => {
    try {
      const announced = running === undefined ? message : await running.announce(message, frame);
      void to.publish(announced).catch(tell);
    } catch (error) {
      tell(error);
    }
  };
}
