/**
 * Selects the returned fields: of the actionable's result, or among all results on a resource. Secret fields are
 * removed at any depth unless the list names them.
 */
import { ActionPhase, ResourcePhase } from '../../../contract/slot.js';
import { BLIND } from '../../../contract/model.js';
import type { ActionState, Frame, Hide, PlanTools, Step } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { createHider } from '../../../language/strings/hide-secrets.js';
import { compilePath, writePath } from '../../../language/strings/path.js';
import { feature, type FeaturePlace, type FeaturePlan } from '../kind.js';
import {
  isFlat,
  listDistinctNames,
  listWrittenNames,
  changeInTurns,
  changeRows,
  pickFields,
  createPickers,
  type FieldPicker,
} from '../shared/pick-fields.js';

/** Rows. */
const LONG_LIST = 1000;

export default defineRuntime(feature, { create: () => ({ plan }) });

function plan({ slot, value }: FeaturePlace, tools: PlanTools): FeaturePlan {
  const names = listDistinctNames(value['returnables']);
  const { secrets, conceals, revealed } = tools;
  if (slot === 'actionable') return { steps: names === null ? [] : [createSelectStep(names)] };
  // The names as written, because `user` alone does not reveal `user.password`.
  if (names !== null)
    return { steps: [createLookupStep(names, tools, createFieldHider(tools, listWrittenNames(value['returnables'])))] };
  if (secrets.size === 0 && conceals === null) return { steps: [] };
  // Names in the main actionable's own `returnables` remain even if secret.
  const own = listWrittenNames(tools.main?.['returnables']);
  return {
    steps: [createHideStep(tools, createHider(secrets, own === null ? [] : [...own, ...revealed], conceals), own)],
  };
}

const createFieldHider = ({ secrets, conceals, revealed }: PlanTools, named: readonly string[] | null): Hide | null =>
  secrets.size === 0 && conceals === null ? null : createHider(secrets, [...(named ?? []), ...revealed], conceals);

/** Changes the rows of a list alike, whatever part of it is given. */
function changeResult(state: ActionState, change: (result: unknown) => unknown): void | Promise<void> {
  const { result } = state;
  if (!Array.isArray(result) || result.length <= LONG_LIST) state.result = change(result);
  else return changeInTurns(result, (rows) => change(rows) as unknown[]).then((rows) => void (state.result = rows));
}

function createSelectStep(names: readonly string[]): Step {
  const picked = createPickers(names);
  return {
    id: 'returnables',
    phase: ActionPhase.SHAPE,
    total: true,
    ...(names.every(isFlat) && { picks: names }),
    run: (_frame, state) => changeResult(state, (result) => changeRows(result, (row) => pickFields(row, picked))),
  };
}

/** Looks in the main result, the others (latest first), then extracted names. A list stays a list. */
function createLookupStep(names: readonly string[], tools: PlanTools, hide: Hide | null): Step {
  const picked = createPickers(names);
  const slots = picked.map(({ path: [root = '', ...rest] }) => ({ slot: tools.slot(root), inside: compilePath(rest) }));
  const others = tools.lookupOrder.slice(1);
  const own = others.length === 0 && slots.every(({ slot }) => slot === null) && names.every(isFlat);
  const findInOthers = (frame: Frame, index: number): unknown => {
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
    ...(own && hasOnlyColumns(names, tools) && { picks: names, ...(hide !== null && { hides: hide }) }),
    run: (frame, state) =>
      changeResult(state, (result) => {
        const answer = Array.isArray(result)
          ? changeRows(result, (row) => pickFields(row, picked))
          : buildAnswer(result, picked, (index) => findInOthers(frame, index));
        return hide === null ? answer : hide(answer);
      }),
  };
}

/** A missing row stays null unless another result provides a value. */
function buildAnswer(result: unknown, picked: readonly FieldPicker[], elsewhere: (index: number) => unknown): unknown {
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

/** True when all names are non-JSON columns of models; other values may contain a hash. */
const hasOnlyColumns = (names: readonly string[], { conceals, columns, secrets }: PlanTools): boolean =>
  names.every((name) => !name.endsWith(BLIND)) &&
  (conceals === null ||
    names.every((name) =>
      secrets.has(name)
        ? secrets.derived?.has(name) !== true
        : columns.some((one) => one.name === name && one.type !== 'json'),
    ));

/** `kept`: names that the main actionable already selected. */
function createHideStep(tools: PlanTools, hide: Hide, kept: readonly string[] | null): Step {
  return {
    id: 'keep secret fields in',
    phase: ResourcePhase.REPLY,
    ...(kept?.every(isFlat) === true && hasOnlyColumns(kept, tools) && { picks: kept, hides: hide }),
    run: (_frame, state) => changeResult(state, hide),
  };
}
