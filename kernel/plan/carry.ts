/** Resolves at load which values a deferred part needs, and copies only those between frame and stored state. */
import { createHash } from 'node:crypto';
import type { DeferredState } from '../../contract/deferred.js';
import { own, type Json } from '../../contract/json.js';
import type { Frame, Payload } from '../../contract/plan.js';
import type { ActionModel } from '../../language/analysis/model.js';
import { hider } from '../../language/strings/hidden.js';
import { carried, missingIn, readsOf, readsBefore, type Picked } from './reads.js';
import { secretsIn, type ResourceScope } from './tools.js';

export interface Carrying {
  /** Changes with the definitions of the part. */
  readonly version: string;
  readonly needs: readonly string[];
  /** Returns an input that the stored work lacks, or null. */
  lacks(needs: readonly string[] | string): string | null;
  /** `payload` is in its storable form. Throws when an input cannot be read. */
  take(frame: Frame, payload: Payload): DeferredState;
  /** `version`: of the definitions that accepted the work. */
  give(state: DeferredState, frame: Frame, version: string): void;
}

interface Kept {
  /** Stable across versions while the same place generates the value. */
  readonly place: string;
  readonly slot: number;
  readonly make: (frame: Frame) => unknown;
}

/** `indexOf`: index of a result in the frame, by key. */
export function compileCarrying(
  scope: ResourceScope,
  actions: readonly ActionModel[],
  indexOf: ReadonlyMap<string, number>,
): Carrying {
  const keys = new Set(actions.map(({ key }) => key));
  const reads = readsOf(scope, actions, (key) => !keys.has(key));
  const { fields, claims, headers, remote, forced, names, results } = reads;
  const kept = keptOf(scope, actions);
  const keptSlots = new Map(kept.map(({ place, slot }) => [place, slot]));
  const needs = Object.freeze(reads.labels);
  const before = hashOf(readsBefore(scope, actions, reads));
  const version = hashOf([before, ...actions.map(({ value }) => JSON.stringify(value))]);
  /** Stored results contain no secrets. */
  const withoutSecrets = ({ key, pick }: Picked): Picked => {
    const hide = hider(
      secretsIn(
        scope,
        scope.sequence.filter((action) => action.key === key),
      ),
      [],
    );
    return { key, pick: (result) => pick(hide(result)) };
  };
  const storing = carried(names, results.map(withoutSecrets), indexOf);
  const giving = carried(names, results, indexOf);

  function payloadOf(payload: Payload): Json {
    if (fields.has(null) || Array.isArray(payload)) return payload as Json;
    return chosen(payload, fields as ReadonlySet<string>) as Json;
  }

  return {
    version,
    needs,
    // Versions before 0.6 stored a hash of the inputs.
    lacks: (given) => (typeof given === 'string' ? (given === before ? null : 'other') : missingIn(given, needs)),
    take(frame, payload) {
      for (const read of forced) read(frame);
      for (const { make } of kept) make(frame);
      return {
        payload: payloadOf(payload),
        claims: frame.claims === null ? null : (chosen(frame.claims, claims) as Record<string, Json>),
        headers: chosen(frame.invocation.headers, headers) as Record<string, string>,
        remote: remote ? frame.invocation.remote : '',
        ...storing.take(frame),
        made: kept.flatMap(({ place, slot }) => {
          const value = frame.slots[slot];
          return typeof value === 'string' || typeof value === 'number' ? [[place, value] as const] : [];
        }),
      };
    },
    give(state, frame, taken) {
      giving.give(state, frame);
      for (const [place, value] of state.made as readonly (readonly [string | number, string | number])[]) {
        // Versions before 0.6 stored slot numbers, which are valid only for identical definitions.
        const slot = typeof place === 'string' || taken !== version ? keptSlots.get(String(place)) : place;
        if (slot !== undefined) frame.slots[slot] = value;
      }
    },
  };
}

function keptOf(scope: ResourceScope, actions: readonly ActionModel[]): Kept[] {
  const members = new Set<ActionModel | null>(actions);
  const keys = new Set(actions.map(({ key }) => key));
  const nameOf = new Map([...scope.slots.byName].map(([name, slot]) => [slot, name]));
  const counts = new Map<string, number>();
  const inPlace = scope.once.flatMap(({ action, slot, read }): Kept[] => {
    if (action === null || !members.has(action)) return [];
    const count = (counts.get(action.key) ?? 0) + 1;
    counts.set(action.key, count);
    return [{ place: `${action.key} ${count}`, slot, make: read }];
  });
  const named = scope.slots.makers.flatMap(({ action, slot, memo, make }): Kept[] =>
    action === null || !keys.has(action)
      ? []
      : [
          {
            place: `${action} ${nameOf.get(slot) ?? ''}`,
            slot: memo,
            make: (frame: Frame) => (frame.slots[memo] ??= make()),
          },
        ],
  );
  return [...inPlace, ...named];
}

const hashOf = (parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);

function chosen(from: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): Record<string, unknown> {
  const found = [...names].map((name) => [name, own(from, name)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
