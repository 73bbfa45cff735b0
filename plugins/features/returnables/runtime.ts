/**
 * Selects the returned fields: names of its result on an actionable, names among all results on a resource. Secret fields are
 * removed at any depth unless the effective list names them.
 */
import { ActionPhase, ResourcePhase } from '../../../contract/slot.js';
import { BLIND } from '../../../contract/model.js';
import type { Frame, Hide, PlanTools, Step } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { hider } from '../../../language/strings/hidden.js';
import { compilePath, writePath } from '../../../language/strings/path.js';
import { feature, type FeaturePlace, type FeaturePlan } from '../kind.js';
import { isFlat, namesListed, namesWritten, onEach, pick, pickers, type Picked } from '../shared/picked.js';

export default defineRuntime(feature, { create: () => ({ plan }) });

function plan({ slot, value }: FeaturePlace, tools: PlanTools): FeaturePlan {
  const names = namesListed(value['returnables']);
  const { secrets, conceals, revealed } = tools;
  if (slot === 'actionable') return { steps: names === null ? [] : [keepNames(names)] };
  // The names as written, because `user` alone does not reveal `user.password`.
  if (names !== null) return { steps: [answerNames(names, tools, hiding(tools, namesWritten(value['returnables'])))] };
  if (secrets.size === 0 && conceals === null) return { steps: [] };
  // Names in the main actionable's own `returnables` remain even if secret.
  const own = namesWritten(tools.main?.['returnables']);
  return { steps: [withoutSecrets(tools, hider(secrets, own === null ? [] : [...own, ...revealed], conceals), own)] };
}

const hiding = ({ secrets, conceals, revealed }: PlanTools, named: readonly string[] | null): Hide | null =>
  secrets.size === 0 && conceals === null ? null : hider(secrets, [...(named ?? []), ...revealed], conceals);

function keepNames(names: readonly string[]): Step {
  const picked = pickers(names);
  return {
    id: 'returnables',
    phase: ActionPhase.SHAPE,
    total: true,
    ...(names.every(isFlat) && { picks: names }),
    run: (_frame, state) => {
      state.result = onEach(state.result, (row) => pick(row, picked));
    },
  };
}

/** Looks in the main result, then in the others (latest first), then in extracted names. A list stays a list. */
function answerNames(names: readonly string[], tools: PlanTools, hide: Hide | null): Step {
  const picked = pickers(names);
  const slots = picked.map(({ path: [root = '', ...rest] }) => ({ slot: tools.slot(root), inside: compilePath(rest) }));
  const others = tools.lookupOrder.slice(1);
  const own = others.length === 0 && slots.every(({ slot }) => slot === null) && names.every(isFlat);
  const elsewhere = (frame: Frame, index: number): unknown => {
    const { read } = picked[index] ?? {};
    if (read === undefined) return undefined;
    for (const other of others) {
      const value = read(frame.results[other]);
      if (value !== undefined) return value;
    }
    const { slot, inside } = slots[index] ?? {};
    return slot === null || slot === undefined ? undefined : inside?.(frame.slots[slot]);
  };
  return {
    id: 'returnables',
    phase: ResourcePhase.REPLY,
    ...(own && areKnown(names, tools) && { picks: names, ...(hide !== null && { hides: hide }) }),
    run: (frame, state) => {
      const { result } = state;
      const answer = Array.isArray(result)
        ? onEach(result, (row) => pick(row, picked))
        : answerOne(result, picked, (index) => elsewhere(frame, index));
      state.result = hide === null ? answer : hide(answer);
    },
  };
}

/** A missing row stays null unless another result provides a value. */
function answerOne(result: unknown, picked: readonly Picked[], elsewhere: (index: number) => unknown): unknown {
  const out: Record<string, unknown> = {};
  let found = false;
  for (const [index, { path, read }] of picked.entries()) {
    const own = read(result);
    // Null counts as found: a null column must not be filled from another result.
    const value = own === undefined ? elsewhere(index) : own;
    if (value === undefined) continue;
    found = true;
    writePath(out, path, value);
  }
  return found || result !== null ? out : null;
}

/**
 * True when all names are non-JSON columns of the models; any other value may contain a hash and must be inspected at runtime.
 */
const areKnown = (names: readonly string[], { conceals, columns, secrets }: PlanTools): boolean =>
  names.every((name) => !name.endsWith(BLIND)) &&
  (conceals === null ||
    names.every((name) => secrets.has(name) || columns.some((one) => one.name === name && one.type !== 'json')));

/** `kept`: names that the main actionable already selected. */
function withoutSecrets(tools: PlanTools, hide: Hide, kept: readonly string[] | null): Step {
  return {
    id: 'keep secret fields in',
    phase: ResourcePhase.REPLY,
    ...(kept?.every(isFlat) === true && areKnown(kept, tools) && { picks: kept, hides: hide }),
    run: (_frame, state) => {
      state.result = hide(state.result);
    },
  };
}
