/** The values that a deferred part needs; only they are copied between frame and stored state. */
import { createHash } from 'node:crypto';
import type { DeferredState } from '../../../contract/deferred.js';
import { getOwn, type Json } from '../../../contract/json.js';
import type { PartSource } from '../../../contract/part.js';
import type { Frame, Payload } from '../../../contract/plan.js';
import { createHider } from '../../../language/strings/hide-secrets.js';
import { createValueSerializer, findMissingLabel, collectReads, listLegacyInputs, type PickedResult } from './reads.js';

export interface JobPayload {
  /** Changes with the definitions of the part. */
  readonly version: string;
  readonly needs: readonly string[];
  /** Returns an input that the stored work lacks, or null. */
  findMissing(needs: readonly string[] | string): string | null;
  /** `payload` is in its storable form. Throws when an input cannot be read. */
  serialize(frame: Frame, payload: Payload): DeferredState;
  /** `version`: of the definitions that accepted the work. */
  restore(state: DeferredState, frame: Frame, version: string): void;
}

interface GeneratedValue {
  /** Stable across versions while the same place generates the value. */
  readonly place: string;
  readonly slot: number;
  readonly make: (frame: Frame) => unknown;
}

export function compileJobPayload(source: PartSource): JobPayload {
  const { members, sequence } = source;
  const indexOf = new Map(sequence.map((key, index) => [key, index]));
  const keys = new Set(members.map(({ key }) => key));
  const reads = collectReads(source, [...keys], (key) => !keys.has(key));
  const { fields, claims, headers, remote, forced, names, results } = reads;
  const kept = listGeneratedValues(source, keys);
  const keptSlots = new Map(kept.map(({ place, slot }) => [place, slot]));
  const needs = Object.freeze(reads.labels);
  const before = hashParts(listLegacyInputs(source, members, reads));
  const version = hashParts([before, ...members.map(({ value }) => JSON.stringify(value))]);
  const omitSecrets = ({ key, pick }: PickedResult): PickedResult => {
    const hide = createHider(source.findSecrets(key), []);
    return { key, pick: (result) => pick(hide(result)) };
  };
  const storing = createValueSerializer(names, results.map(omitSecrets), indexOf);
  const giving = createValueSerializer(names, results, indexOf);

  function selectPayload(payload: Payload): Json {
    if (fields.has(null) || Array.isArray(payload)) return payload as Json;
    return pickOwn(payload, fields as ReadonlySet<string>) as Json;
  }

  return {
    version,
    needs,
    // Versions before 0.6 stored a hash of the inputs.
    findMissing: (given) =>
      typeof given === 'string' ? (given === before ? null : 'other') : findMissingLabel(given, needs),
    serialize(frame, payload) {
      for (const read of forced) read(frame);
      for (const { make } of kept) make(frame);
      return {
        payload: selectPayload(payload),
        claims: frame.claims === null ? null : (pickOwn(frame.claims, claims) as Record<string, Json>),
        headers: pickOwn(frame.invocation.headers, headers) as Record<string, string>,
        remote: remote ? frame.invocation.remote : '',
        ...storing.serializeValues(frame),
        made: kept.flatMap(({ place, slot }) => {
          const value = frame.slots[slot];
          return typeof value === 'string' || typeof value === 'number' ? [[place, value] as const] : [];
        }),
      };
    },
    restore(state, frame, taken) {
      giving.restoreValues(state, frame);
      for (const [place, value] of state.made as readonly (readonly [string | number, string | number])[]) {
        // Versions before 0.6 stored slot numbers, which are valid only for identical definitions.
        const slot = typeof place === 'string' || taken !== version ? keptSlots.get(String(place)) : place;
        if (slot !== undefined) frame.slots[slot] = value;
      }
    },
  };
}

function listGeneratedValues(source: PartSource, keys: ReadonlySet<string>): GeneratedValue[] {
  const nameOf = new Map([...source.names].map(([name, slot]) => [slot, name]));
  const counts = new Map<string, number>();
  const inPlace = source.once.flatMap(({ action, slot, read }): GeneratedValue[] => {
    if (action === null || !keys.has(action)) return [];
    const count = (counts.get(action) ?? 0) + 1;
    counts.set(action, count);
    return [{ place: `${action} ${count}`, slot, make: read }];
  });
  const named = source.makers.flatMap(({ action, slot, memo, make }): GeneratedValue[] =>
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

const hashParts = (parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);

function pickOwn(from: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): Record<string, unknown> {
  const found = [...names].map((name) => [name, getOwn(from, name)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
