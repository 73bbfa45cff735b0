/** Copies values from earlier results into named slots. The compiler orders dependencies. */
import { createFault } from '../../../contract/fault.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import { ActionPhase } from '../../../contract/slot.js';
import type { ActionState, Frame, PlanTools, ResultCopy, Step } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { compilePath, splitPath } from '../../../language/strings/path.js';
import { feature } from '../kind.js';

export default defineRuntime(feature, {
  create: () => ({ plan: ({ value }, tools) => ({ steps: planExtractions(value, tools) }) }),
});

const toObjects = (json: Json | undefined): readonly Readonly<Record<string, Json>>[] =>
  Array.isArray(json) ? (json as readonly Json[]).filter(isObject) : [];

interface Extract {
  readonly run: (frame: Frame) => void;
  /** Null for several possible results. */
  readonly copy: ResultCopy | null;
}

function planExtractions(value: Readonly<Record<string, Json>>, tools: PlanTools): Step[] {
  const dependencies = toObjects(value['depends_on']).map((dependency) => ({
    entries: toObjects(dependency['extract_response_for']),
    sources: resolveSources(dependency, tools),
  }));
  const direct = toObjects(value['extract_response_for']);
  const all = dependencies.flatMap(({ sources }) => sources);
  const fromOthers = [...dependencies, ...(all.length > 0 ? [{ entries: direct, sources: all }] : [])];
  const extracts = fromOthers.flatMap(({ entries, sources }) => entries.flatMap(createExtractions(sources, tools)));
  return [...createPrepareSteps(extracts), ...(all.length > 0 ? [] : createShapeSteps(direct, tools))];
}

function resolveSources(dependency: Readonly<Record<string, Json>>, tools: PlanTools): number[] {
  const ids = Array.isArray(dependency['action_ids']) ? (dependency['action_ids'] as readonly Json[]) : [];
  return ids.flatMap((id) => tools.action(asText(dependency['resource_id']), Number(id)) ?? []);
}

const createExtractions =
  (sources: readonly number[], tools: PlanTools) =>
  (entry: Readonly<Record<string, Json>>): Extract[] => {
    const name = asText(entry['for']);
    const path = asText(entry['extract']);
    const slot = tools.slot(name);
    if (slot === null) return [];
    for (const source of sources) tools.recordResultRead(source, path === SELF ? [] : splitPath(path));
    const [source] = sources;
    const isCopy = sources.length === 1 && source !== undefined;
    const copy = isCopy ? { slot, source, path: path === SELF ? [] : splitPath(path) } : null;
    return [{ run: createExtract(path, name, sources, slot), copy }];
  };

function createPrepareSteps(extracts: readonly Extract[]): Step[] {
  if (extracts.length === 0) return [];
  const run = (frame: Frame): void => {
    for (const extract of extracts) extract.run(frame);
  };
  const copies = extracts.flatMap(({ copy }) => copy ?? []);
  const areCopies = copies.length === extracts.length;
  return [{ id: 'depends_on', phase: ActionPhase.PREPARE, order: -100, ...(areCopies && { copies }), run }];
}

/** Names values of the actionable's own result before `returnables` removes fields. */
function createShapeSteps(entries: readonly Readonly<Record<string, Json>>[], tools: PlanTools): Step[] {
  return entries.flatMap((entry) => {
    const name = asText(entry['for']);
    const slot = tools.slot(name);
    if (slot === null) return [];
    const read = createReader(asText(entry['extract']));
    const run = (frame: Frame, { result }: ActionState): void => {
      const value = read(result);
      if (value === undefined) throw createFault('DEP_UNRESOLVED', { name });
      frame.slots[slot] = value;
    };
    return [{ id: 'extract_response_for', phase: ActionPhase.SHAPE, order: -200, run }];
  });
}

/** The path that selects the whole result. */
const SELF = 'self_';

const createReader = (path: string): ((result: unknown) => unknown) =>
  path === SELF ? (result) => result : compilePath(splitPath(path));

/** The first named result with the path provides the value; without one, the request fails. */
function createExtract(path: string, name: string, sources: readonly number[], slot: number): (frame: Frame) => void {
  const read = createReader(path);
  return (frame) => {
    for (const source of sources) {
      const value = read(frame.results[source]);
      if (value !== undefined) {
        frame.slots[slot] = value;
        return;
      }
    }
    throw createFault('DEP_UNRESOLVED', { name });
  };
}
