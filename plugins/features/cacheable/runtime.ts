/**
 * Plans the cache of a resource (the serialized response) or an actionable (its result before shaping). Guards and rules run
 * before the lookup; invalidations follow the commit.
 */
import type { Json } from '../../../contract/json.js';
import { asText, isObject } from '../../../contract/json.js';
import { done, type Done } from '../../../contract/hooks.js';
import type { Frame, PlanTools, Step } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { Rendered } from '../../../contract/rendered.js';
import { ActionPhase, ResourcePhase } from '../../../contract/slot.js';
import { readJson, writeJson } from '../../../language/strings/exact-json.js';
import { hider } from '../../../language/strings/hidden.js';
import { cache } from '../../caches/kind.js';
import { feature, type FeaturePlace, type FeaturePlan } from '../kind.js';
import { invalidation } from './invalidation.js';
import { compileName, compileVariant, constantName, type Naming } from './keys.js';
import { createStore, type Errand, type Found, type Store } from './store.js';

export default defineRuntime(feature, {
  create: ({ resolve, log }) => {
    let store: Store | null = null;
    return { plan: (place, tools) => plan(place, tools, (store ??= createStore(resolve(cache, 'cache'), log))) };
  },
});

function plan({ slot, value }: FeaturePlace, tools: PlanTools, store: Store): FeaturePlan {
  const written = isObject(value['cacheable']) ? value['cacheable'] : {};
  const names = Array.isArray(written['invalidate_cache_keys']) ? (written['invalidate_cache_keys'] as Json[]) : [];
  const removing = names.length === 0 ? [] : invalidation(names.map(asText), slot, tools, store);
  if (written['read_from_cache'] !== true) return { steps: removing };
  const kept = reading(slot, written, tools, store);
  return { steps: [...kept, ...removing], ...(slot === 'actionable' && { apart: true as const }) };
}

interface Form {
  readonly toBytes: (result: unknown) => Uint8Array;
  readonly fromBytes: (bytes: Uint8Array) => unknown;
}

const bytesOf = (result: unknown): Uint8Array => Buffer.from(writeJson(result ?? null) ?? 'null');
const parse = ({ buffer, byteOffset, byteLength }: Uint8Array): unknown =>
  readJson(Buffer.from(buffer, byteOffset, byteLength).toString());

const AS_TEXT: Form = {
  toBytes: (result) => (result instanceof Rendered ? result.json : bytesOf(result)),
  fromBytes: (bytes) => new Rendered(bytes, parse),
};
const AS_VALUE: Form = { toBytes: bytesOf, fromBytes: parse };

type Written = Readonly<Record<string, Json>>;

function reading(slot: string, written: Written, tools: PlanTools, store: Store): Step[] {
  const key = written['cache_key'];
  const own = constantName(tools.place);
  const name: Naming = typeof key === 'string' ? compileName(key, tools) : () => own;
  const variant = compileVariant(`${slot} ${tools.place}`, tools);
  const seconds = Number(written['duration']);
  const isResource = slot === 'resource';
  const { toBytes, fromBytes } = isResource ? AS_TEXT : AS_VALUE;
  const memo = tools.memo();
  // Secret fields are never stored in a shared cache, and the result is the same whether it is cached or not.
  const hide = isResource ? (result: unknown) => result : hider(tools.secrets, [], tools.conceals);

  function taken(frame: Frame, found: Found): Done | void {
    if ('value' in found) return done(fromBytes(found.value));
    const { errand } = found;
    if (errand === null) return;
    if (frame.slots[memo] !== errand) frame.invocation.release(() => store.giveUp(errand));
    frame.slots[memo] = errand;
  }

  const recall = (frame: Frame): Done | void | Promise<Done | void> => {
    // Uploaded files are not part of the key, so a request with files bypasses the cache.
    if (frame.invocation.files.length > 0) return;
    const [which, of] = [name(frame), variant(frame)];
    const bytes = store.peek(which, of);
    if (bytes !== null) return done(fromBytes(bytes));
    const mine = frame.slots[memo] as Errand | undefined;
    return store.find(which, of, seconds, mine, frame.invocation.deadline).then((found) => taken(frame, found));
  };

  const keep: Step['run'] = (frame, state) => {
    state.result = hide(state.result);
    const errand = frame.slots[memo] as Errand | undefined;
    if (errand === undefined) return;
    const bytes = toBytes(state.result);
    return frame.whenCommitted(() => store.finish(errand, bytes, seconds));
  };

  return [
    isResource
      ? { id: 'cacheable', phase: ResourcePhase.RECALL, run: recall }
      : { id: 'cacheable', phase: ActionPhase.PREPARE, order: 100, run: recall },
    isResource
      ? { id: 'cacheable', phase: ResourcePhase.SETTLE, order: 100, takesText: true, run: keep }
      : { id: 'cacheable', phase: ActionPhase.CONFIRM, order: 1000, total: true, run: keep },
  ];
}
