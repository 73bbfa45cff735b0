/**
 * Sends the result of an actionable once its work is committed. The answer waits neither for the relay nor for its failures;
 * what receivers may see of the result is settled at load.
 */
import { Fault } from '../../../kernel/contract/fault.js';
import { asText, isObject, type Json } from '../../../kernel/contract/json.js';
import type { Delivery, Running, Target } from '../../../kernel/contract/deferred.js';
import type { Frame, PlanTools, Reader, Step } from '../../../kernel/contract/plan.js';
import { defineRuntime, type Log } from '../../../kernel/contract/plugin.js';
import { Rendered } from '../../../kernel/contract/rendered.js';
import { ActionPhase } from '../../../kernel/contract/slot.js';
import { hider } from '../../../kernel/language/hidden.js';
import { broadcast } from '../../kinds/broadcast.js';
import { feature } from '../../kinds/feature.js';
import { relay, type Relay } from '../../kinds/relay.js';
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

/** `early`: where the target is kept that is known before the work, so that nothing is done for nobody; null: it is not. */
function steps(
  to: Reader<Target>,
  tell: (target: Target, result: unknown, frame: Frame) => void | Promise<void>,
  early: number | null,
): Step[] {
  const known = (frame: Frame): Target => {
    if (early === null) return to(frame);
    // What a cache gave came before it was read.
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

/** Its own `returnables` say what leaves; else those of its resource; else everything does, but what is secret. */
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

/** A value of its own: what is made of the result for the answer, such as a token in it, is none of the receivers'. */
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
    // The relay tells of itself that it is away, once.
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
