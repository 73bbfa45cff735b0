/**
 * What a part of a resource takes with it when it is done apart from its request: settled at load from what the part
 * reads. Only that travels, by value; nothing is looked up by name but the names that travel.
 */
import { createHash } from 'node:crypto';
import type { DeferredState } from '../contract/deferred.js';
import { own, type Json } from '../contract/json.js';
import type { Frame, Payload, Reader } from '../contract/plan.js';
import type { ActionModel } from '../analysis/model.js';
import { hider } from '../language/hidden.js';
import { claimReader, secretsIn, type ResourceScope } from './tools.js';

export interface Carrying {
  /** Changes with the definitions of the part. */
  readonly version: string;
  /** Changes with what the part reads. */
  readonly needs: string;
  /** `payload`: as it may be kept. Throws the Fault of what cannot be read. */
  take(frame: Frame, payload: Payload): DeferredState;
  /** `version`: under which it was taken. */
  give(state: DeferredState, frame: Frame, version: string): void;
}

interface Kept {
  readonly slot: number;
  readonly make: (frame: Frame) => unknown;
}

/** `actions`: of the part; `indexOf`: the place of a result, by key. */
export function compileCarrying(
  scope: ResourceScope,
  actions: readonly ActionModel[],
  indexOf: ReadonlyMap<string, number>,
): Carrying {
  const members = new Set<ActionModel | null>(actions);
  const keys = new Set(actions.map(({ key }) => key));
  const fields = new Set<string | null>();
  const claims = new Set<string>();
  const headers = new Set<string>();
  const forced: Reader[] = [];
  const slots = new Set<number>();
  let remote = false;
  const results = new Set(actions.flatMap(({ depends }) => depends.filter((key) => !keys.has(key))));
  for (const { action, place } of scope.reads) {
    if (!members.has(action)) continue;
    if (place.from === 'payload') {
      fields.add(place.field);
      if (place.slot !== null) slots.add(place.slot);
    } else if (place.from === 'claims') {
      claims.add(place.path[0] ?? '');
      forced.push(claimReader(place.path));
    } else if (place.from === 'result') {
      const key = scope.sequence[place.index]?.key;
      if (key !== undefined && !keys.has(key)) results.add(key);
    } else if (place.from === 'elsewhere') {
      if (place.header !== undefined) headers.add(place.header);
      remote ||= place.remote === true;
      forced.push(place.read);
    }
  }
  forced.push(...scope.asked.flatMap(({ action, read }) => (members.has(action) ? [read] : [])));
  const names = [...scope.slots.byName].filter(([, slot]) => slots.has(slot));
  const kept: Kept[] = [
    ...scope.once.flatMap(({ action, slot, read }) => (members.has(action) ? [{ slot, make: read }] : [])),
    ...scope.slots.makers.flatMap(({ action, memo, make }) =>
      action !== null && keys.has(action)
        ? [{ slot: memo, make: (frame: Frame) => (frame.slots[memo] ??= make()) }]
        : [],
    ),
  ];
  const keptSlots = new Set(kept.map(({ slot }) => slot));
  const needs = hashOf(
    [...fields, ...claims, ...headers, ...names.map(([name]) => name), ...results, ...(remote ? ['$remote'] : [])]
      .map(String)
      .sort(),
  );
  const version = hashOf([needs, ...actions.map(({ value }) => JSON.stringify(value))]);

  const hiders = new Map(
    [...results].map((key) => [
      key,
      hider(
        secretsIn(
          scope,
          scope.sequence.filter((action) => action.key === key),
        ),
        [],
      ),
    ]),
  );
  /** Nothing that is stored holds a secret. */
  const stored = (key: string, result: unknown): unknown => hiders.get(key)?.(result) ?? result;

  function payloadOf(payload: Payload): Json {
    if (fields.has(null) || Array.isArray(payload)) return payload as Json;
    return chosen(payload, fields as ReadonlySet<string>) as Json;
  }

  return {
    version,
    needs,
    take(frame, payload) {
      for (const read of forced) read(frame);
      for (const { make } of kept) make(frame);
      return {
        payload: payloadOf(payload),
        claims: frame.claims === null ? null : (chosen(frame.claims, claims) as Record<string, Json>),
        headers: chosen(frame.invocation.headers, headers) as Record<string, string>,
        remote: remote ? frame.invocation.remote : '',
        names: named(names.map(([name, slot]) => [name, frame.slots[slot]])),
        results: named([...results].map((key) => [key, stored(key, frame.results[indexOf.get(key) ?? -1])])),
        made: kept.flatMap(({ slot }) => {
          const value = frame.slots[slot];
          return typeof value === 'string' || typeof value === 'number' ? [[slot, value] as const] : [];
        }),
      };
    },
    give(state, frame, taken) {
      for (const [name, slot] of names) {
        const value = own(state.names, name);
        if (value !== undefined) frame.slots[slot] = value;
      }
      for (const key of results) {
        const index = indexOf.get(key);
        if (index !== undefined) frame.results[index] = own(state.results, key);
      }
      // Slots have other meanings in another version.
      if (taken === version) for (const [slot, value] of state.made) if (keptSlots.has(slot)) frame.slots[slot] = value;
    },
  };
}

const hashOf = (parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);

function chosen(from: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): Record<string, unknown> {
  return named([...names].map((name) => [name, own(from, name)]));
}

function named(entries: readonly (readonly [string, unknown])[]): Record<string, Json> {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, Json>;
}
