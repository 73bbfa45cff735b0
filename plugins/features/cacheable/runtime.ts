/**
 * The cache of a resource (the serialized response) or an actionable (its result before shaping). Guards and rules
 * run first; invalidations follow the commit. A response that is parsed and written again takes 1.16 times the processor time.
 */
import type { Json } from '../../../contract/json.js';
import { asText, isObject } from '../../../contract/json.js';
import { done, type FinalResult } from '../../../contract/reply.js';
import type { Frame, PlanTools, Step } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { RawJson } from '../../../contract/raw-json.js';
import { ActionPhase, ResourcePhase } from '../../../contract/slot.js';
import { parseExactJson, writeJson } from '../../../language/strings/exact-json.js';
import { createHider } from '../../../language/strings/hide-secrets.js';
import { cache, type Cache } from '../../caches/kind.js';
import { feature, type Feature, type FeaturePlace, type FeaturePlan } from '../kind.js';
import { planInvalidation } from './invalidation.js';
import { compileName, compileVariant, createConstantName, describeKey, type KeyRenderer } from './keys.js';
import { createStore, type ComputationLease, type CacheLookup, type CacheEntryStore } from './store.js';

interface CacheableFeature extends Feature {
  readonly getCache: () => Cache;
}

const MOST_SHOWN = 200;

export default defineRuntime<Feature, CacheableFeature>(feature, {
  create: ({ resolve, log }) => {
    let store: CacheEntryStore | null = null;
    const getCache = (): Cache => resolve(cache, 'cache');
    return { plan: (place, tools) => plan(place, tools, (store ??= createStore(getCache(), log))), getCache };
  },
  createConsolePane: ({ getCache }) => ({
    title: 'Cache',
    read() {
      const entries = getCache().listEntries?.(MOST_SHOWN);
      if (entries === undefined) return { keys: 'The store has only hashes of keys.' };
      return { keys: entries.map(({ key, bytes, left }) => ({ key: describeKey(key), bytes, 'seconds left': left })) };
    },
  }),
});

function plan({ slot, value }: FeaturePlace, tools: PlanTools, store: CacheEntryStore): FeaturePlan {
  const written = isObject(value['cacheable']) ? value['cacheable'] : {};
  const names = Array.isArray(written['invalidate_cache_keys']) ? (written['invalidate_cache_keys'] as Json[]) : [];
  const removing = names.length === 0 ? [] : planInvalidation(names.map(asText), slot, tools, store);
  if (written['read_from_cache'] !== true) return { steps: removing };
  const kept = planLookup(slot, written, tools, store);
  return { steps: [...kept, ...removing], ...(slot === 'actionable' && { apart: true as const }) };
}

interface ResultCodec {
  readonly toBytes: (result: unknown) => Uint8Array;
  readonly fromBytes: (bytes: Uint8Array) => unknown;
}

const serializeResult = (result: unknown): Uint8Array => Buffer.from(writeJson(result ?? null) ?? 'null');
const parse = ({ buffer, byteOffset, byteLength }: Uint8Array): unknown =>
  parseExactJson(Buffer.from(buffer, byteOffset, byteLength).toString());

const AS_TEXT: ResultCodec = {
  toBytes: (result) => (result instanceof RawJson ? result.json : serializeResult(result)),
  fromBytes: (bytes) => new RawJson(bytes, parse),
};
const AS_VALUE: ResultCodec = { toBytes: serializeResult, fromBytes: parse };

type CacheableSettings = Readonly<Record<string, Json>>;

function planLookup(slot: string, written: CacheableSettings, tools: PlanTools, store: CacheEntryStore): Step[] {
  const key = written['cache_key'];
  const own = createConstantName(tools.place);
  const name: KeyRenderer = typeof key === 'string' ? compileName(key, tools) : () => own;
  const variant = compileVariant(`${slot} ${tools.place}`, tools);
  const seconds = Number(written['duration']);
  const isResource = slot === 'resource';
  const { toBytes, fromBytes } = isResource ? AS_TEXT : AS_VALUE;
  const memo = tools.allocateSlot();
  // Secret fields are never cached, and the result is the same either way.
  const hide = isResource ? (result: unknown) => result : createHider(tools.secrets, [], tools.conceals);

  function applyLookup(frame: Frame, found: CacheLookup): FinalResult | void {
    if ('value' in found) return done(fromBytes(found.value));
    const { heldLease: heldLease } = found;
    if (heldLease === null) return;
    if (frame.slots[memo] !== heldLease) frame.invocation.onFinish(() => store.failComputation(heldLease));
    frame.slots[memo] = heldLease;
  }

  const lookupResult = (frame: Frame): FinalResult | void | Promise<FinalResult | void> => {
    // Files are not part of the key, so they bypass the cache.
    if (frame.invocation.files.length > 0) return;
    const [which, of] = [name(frame), variant(frame)];
    const bytes = store.getLocalBytes(which, of);
    if (bytes !== null) return done(fromBytes(bytes));
    const mine = frame.slots[memo] as ComputationLease | undefined;
    return store.find(which, of, seconds, mine, frame).then((found) => applyLookup(frame, found));
  };

  const storeResult: Step['run'] = (frame, state) => {
    state.result = hide(state.result);
    const heldLease = frame.slots[memo] as ComputationLease | undefined;
    if (heldLease === undefined) return;
    const bytes = toBytes(state.result);
    return frame.afterCommit(() => store.completeComputation(heldLease, bytes, seconds));
  };

  return [
    isResource
      ? { id: 'cacheable', phase: ResourcePhase.RECALL, run: lookupResult }
      : { id: 'cacheable', phase: ActionPhase.PREPARE, order: 100, run: lookupResult },
    isResource
      ? { id: 'cacheable', phase: ResourcePhase.SETTLE, order: 100, takesText: true, run: storeResult }
      : { id: 'cacheable', phase: ActionPhase.CONFIRM, order: 1000, total: true, run: storeResult },
  ];
}
