/**
 * Encrypts payload fields before an actionable and decrypts fields of its result. Limits are checked before any
 * actionable runs.
 */
import { createFault } from '../../../contract/fault.js';
import type { Issue } from '../../../contract/problem.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { ActionState, Frame, Payload, PlanTools, Step } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { ActionPhase, ResourcePhase } from '../../../contract/slot.js';
import { feature } from '../kind.js';
import { BLIND_KEY } from '../../shared/blind-key.light.js';
import { createBlindIndex, hasPlaintext, recordSealed } from '../../shared/blind-index.js';
import { changeAt, findPathMatches, type Change } from '../shared/change-at.js';
import { changeInTurns, TURN } from '../shared/pick-fields.js';
import {
  findAbsentValues,
  isAbsent,
  isDemanded,
  isWritten,
  findNamedList,
  assertNoIssues,
  rejectItems,
  createUnseenReader,
  type InItems,
} from '../shared/protected-items.js';
import { compileEntry, type Entry } from './entry.js';
import { NOT_OPENED } from './field.js';
import { BEFORE_OTHERS } from './settings.light.js';

/** After the resource cache lookup, before the first actionable. */
const COUNTING = ResourcePhase.RECALL + 50;
/** After `hashables`, because a hash may be encrypted. */
const AFTER_HASHES = 1;
const BEFORE_SEALS = AFTER_HASHES - 0.5;
const AFTER_SEALS = AFTER_HASHES + 0.5;
const MOST_SEALED = 1000;
const MOST_OPENED = 10_000;

/** A location of a value: in the payload, or under a name that an actionable defines. */
interface Target {
  readonly entry: Entry;
  readonly index: number;
  readonly path: readonly string[];
  /** The same field in the items of the list that the statement repeats for. */
  readonly inItems: readonly string[] | null;
  readonly slot: number | null;
  /** True when a query writes the field and it is required. */
  readonly demanded: boolean;
  readonly within: InItems | null;
  /** A statement may search the blind index. */
  readonly indexed: boolean;
}

export default defineRuntime(feature, {
  create: ({ resolve, env }) => ({
    plan: ({ value }, tools) => {
      const written = value['ciphers'];
      const items = Array.isArray(written) ? (written as readonly Json[]).filter(isObject) : [];
      const entries = items.map((item) => compileEntry(item, resolve, tools));
      for (const entry of entries) if (entry.encrypts) recordIndexSources(entry, tools, env);
      const opened = entries.filter(({ encrypts }) => !encrypts).flatMap(({ paths }) => paths);
      return {
        steps: entries.length === 0 ? [] : createSteps(entries, tools),
        reveals: opened.map((path) => path.join('.')),
      };
    },
  }),
});

/** A column that another entry encrypts is not opened by mistake. */
function recordIndexSources(
  { field, constant }: Entry,
  tools: PlanTools,
  env: (name: string) => string | undefined,
): void {
  for (const { table, columns } of tools.tables)
    for (const { name, blind } of columns) {
      if (blind === undefined) continue;
      const index = createBlindIndex(env(BLIND_KEY), table, name);
      const createIndex = (stored: string): string | null => {
        const clear = constant === null ? NOT_OPENED : field.open(stored, constant);
        return clear === NOT_OPENED ? null : index(clear);
      };
      tools.recordIndexSource({ table, column: name, perRequest: constant === null, createIndex });
    }
}

function createSteps(entries: readonly Entry[], tools: PlanTools): Step[] {
  const targets = entries.flatMap((entry, index) => (entry.encrypts ? resolveTargets(entry, index, tools) : []));
  const opening = entries.flatMap((entry, index) => (entry.encrypts ? [] : [{ entry, index }]));
  const within = tools.repeat?.pointer?.split('/').slice(1) ?? null;
  const bounds = tools.allocateSlot();
  const sealed = tools.allocateSlot();
  // Items of a list from a result take precedence over the payload and are not encrypted.
  const unseen = createUnseenReader(tools);
  const named = targets.filter(({ slot }) => slot !== null);
  const steps: Step[] = [];
  if (targets.length > 0) {
    const read = createAadLoader(entries, bounds, ({ encrypts }) => encrypts);
    const run = (frame: Frame): void => {
      read(frame);
      encryptPayload(targets, frame, bounds, sealed);
    };
    steps.push({ id: 'ciphers', phase: ActionPhase.BIND, order: AFTER_HASHES, seals: true, run });
    steps.push({ id: 'ciphers: count', phase: COUNTING, run: (frame) => checkLimits(targets, frame, within) });
    if (tools.columns.some(({ blind }) => blind !== undefined)) {
      // A deferred job has only the ciphertext.
      const again = createAadLoader(entries, bounds, ({ encrypts }) => encrypts, true);
      const recoverClearText = (frame: Frame): void => {
        again(frame);
        for (const target of targets) recoverSealed(target, frame, bounds);
      };
      steps.push({ id: 'ciphers: index', phase: ActionPhase.BIND, order: AFTER_SEALS, run: recoverClearText });
    }
  }
  if (unseen !== null || named.length > 0) {
    // Named values exist only after their actionable.
    const read = createAadLoader(entries, bounds, ({ encrypts }) => encrypts, true);
    const run = (frame: Frame): void => {
      if (unseen !== null)
        rejectItems(
          unseen(frame),
          targets.map(({ path }) => path),
          'CPH_ITEMS',
        );
      if (named.length === 0) return;
      read(frame);
      encryptNames(named, frame, bounds, sealed);
    };
    steps.push({ id: 'ciphers: names', phase: ActionPhase.BIND, order: AFTER_SEALS, run });
  }
  if (opening.length > 0) {
    const read = createAadLoader(entries, bounds, ({ encrypts }) => !encrypts);
    steps.push({ id: 'ciphers: bind', phase: ActionPhase.BIND, order: BEFORE_SEALS, run: read });
    const run = (frame: Frame, state: ActionState) => decrypt(opening, state, frame.slots[bounds] as Uint8Array[]);
    steps.push({ id: 'ciphers: decrypt', phase: ActionPhase.CONFIRM, order: BEFORE_OTHERS, run });
  }
  return steps;
}

/** `missing` reads only additional data that was not read before. */
const createAadLoader =
  (entries: readonly Entry[], slot: number, which: (entry: Entry) => boolean, missing = false) =>
  (frame: Frame): void => {
    const known = (frame.slots[slot] ?? []) as readonly (Uint8Array | undefined)[];
    const isWanted = (entry: Entry, index: number): boolean => which(entry) && !(missing && known[index] !== undefined);
    frame.slots[slot] = entries.map((entry, index) => (isWanted(entry, index) ? entry.bound(frame) : known[index]));
  };

function resolveTargets(entry: Entry, index: number, tools: PlanTools): Target[] {
  const within = tools.repeat?.pointer?.split('/').slice(1) ?? null;
  const indexed = tools.indexes;
  const list = findNamedList(tools);
  return entry.paths.flatMap((path) => {
    const target: Target = {
      entry,
      index,
      path,
      inItems: within === null ? null : [...within, ...path],
      slot: tools.slot(asText(path[0])),
      demanded: isDemanded(path, tools),
      within: null,
      indexed,
    };
    // Items of a list taken from a result take precedence.
    if (list === null || path[0] === list.path[0]) return [target];
    const items = { list, own: path, beside: target.slot };
    const demanded = isWritten(path, tools);
    return [
      target,
      { ...target, path: [...list.path, ...path], inItems: null, slot: list.slot, demanded, within: items },
    ];
  });
}

function checkLimits(targets: readonly Target[], { payload }: Frame, within: readonly string[] | null): void {
  const absent: Issue[] = [];
  for (const { path, slot, demanded } of targets)
    if (demanded && slot === null) absent.push(...findAbsentValues(payload, path, within));
  assertNoIssues(absent);
  let found = 0;
  for (const { entry, path, inItems } of targets) {
    const { most } = entry.field;
    const countValue: Change = (value) => {
      if (value === undefined || value === null) return value;
      if (++found > MOST_SEALED) throw createFault('CPH_TOO_MANY', { max: MOST_SEALED });
      if (most !== null && Buffer.byteLength(JSON.stringify(value)) > most)
        throw createFault('CPH_TOO_LONG', { max: most });
      return value;
    };
    changeAt(payload, path, countValue);
    if (inItems !== null && !Array.isArray(payload)) changeAt(payload, inItems, countValue);
  }
}

/** A retried transaction may meet values sealed for this request. */
function createSealer({ entry, index, indexed }: Target, frame: Frame, bounds: number, slot: number): Change | null {
  const data = (frame.slots[bounds] as readonly (Uint8Array | undefined)[])[index];
  const done = (frame.slots[slot] ??= new Set()) as Set<unknown>;
  if (data === undefined) return null;
  return (value) => {
    if (value === undefined || value === null || done.has(value)) return value;
    const text = entry.field.seal(value, data);
    if (indexed) recordSealed(frame.invocation, text, value);
    done.add(text);
    return text;
  };
}

function encryptPayload(targets: readonly Target[], frame: Frame, bounds: number, slot: number): void {
  for (const target of targets) {
    const seal = createSealer(target, frame, bounds, slot);
    if (seal === null) continue;
    const { path, inItems } = target;
    frame.payload = changeAt(frame.payload, path, seal) as Payload;
    if (inItems !== null && !Array.isArray(frame.payload)) {
      frame.payload = changeAt(frame.payload, inItems, seal) as Payload;
    }
  }
}

function encryptNames(targets: readonly Target[], frame: Frame, bounds: number, slot: number): void {
  for (const target of targets) {
    const seal = createSealer(target, frame, bounds, slot);
    const { path, slot: named } = target;
    if (seal === null || named === null) continue;
    if (target.demanded && isAbsent(frame, named, path, target.within))
      throw createFault('CPH_NAME', { name: path.join('.') });
    frame.slots[named] = changeAt(frame.slots[named], path, seal, 1);
  }
}

function recoverSealed({ entry, index, path, inItems }: Target, frame: Frame, bounds: number): void {
  const data = (frame.slots[bounds] as readonly (Uint8Array | undefined)[])[index];
  const { invocation, payload } = frame;
  for (const { value } of [path, ...(inItems === null ? [] : [inItems])].flatMap((at) =>
    findPathMatches(payload, at),
  )) {
    if (data === undefined || typeof value !== 'string' || hasPlaintext(invocation, value)) continue;
    const clear = entry.field.open(value, data);
    if (clear !== NOT_OPENED) recordSealed(invocation, value, clear);
  }
}

/** One error code, so that a caller cannot learn why a value does not open. */
function decrypt(
  opening: readonly { readonly entry: Entry; readonly index: number }[],
  state: ActionState,
  bounds: readonly Uint8Array[],
): void | Promise<void> {
  let found = 0;
  const changes = opening.flatMap(({ entry, index }) => {
    const bound = bounds[index];
    if (bound === undefined) return [];
    const open: Change = (value) => {
      if (value === undefined || value === null) return value;
      if (Array.isArray(value)) return value.map(open);
      if (++found > MOST_OPENED) throw createFault('CPH_MANY_ROWS', { max: MOST_OPENED });
      const plain = entry.field.open(value, bound);
      if (plain === NOT_OPENED) throw createFault('CPH_OPEN');
      return plain;
    };
    return entry.paths.map((path) => (row: unknown) => changeAt(row, path, open));
  });
  const openRow = (row: unknown): unknown => changes.reduce((changed, change) => change(changed), row);
  const { result } = state;
  if (!Array.isArray(result) || result.length <= TURN) state.result = openRow(result);
  else return changeInTurns(result, (rows) => rows.map(openRow)).then((rows) => void (state.result = rows));
}
