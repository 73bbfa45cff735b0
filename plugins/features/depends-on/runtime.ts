/**
 * Copies values from results of earlier actionables into named slots. The compiler, not this plugin, orders dependencies before
 * their dependents.
 */
import { fault } from '../../../contract/fault.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import { ActionPhase } from '../../../contract/slot.js';
import type { ActionState, Frame, PlanTools, Step } from '../../../contract/plan.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { compilePath, splitPath } from '../../../language/strings/path.js';
import { feature } from '../kind.js';

export default defineRuntime(feature, {
  create: () => ({ plan: ({ value }, tools) => ({ steps: planExtractions(value, tools) }) }),
});

const items = (json: Json | undefined): readonly Readonly<Record<string, Json>>[] =>
  Array.isArray(json) ? (json as readonly Json[]).filter(isObject) : [];

type Extract = (frame: Frame) => void;

function planExtractions(value: Readonly<Record<string, Json>>, tools: PlanTools): Step[] {
  const dependencies = items(value['depends_on']).map((dependency) => ({
    entries: items(dependency['extract_response_for']),
    sources: sourcesOf(dependency, tools),
  }));
  const direct = items(value['extract_response_for']);
  const all = dependencies.flatMap(({ sources }) => sources);
  const fromOthers = [...dependencies, ...(all.length > 0 ? [{ entries: direct, sources: all }] : [])];
  const extracts = fromOthers.flatMap(({ entries, sources }) => entries.flatMap(extractionOf(sources, tools)));
  return [...before(extracts), ...(all.length > 0 ? [] : after(direct, tools))];
}

function sourcesOf(dependency: Readonly<Record<string, Json>>, tools: PlanTools): number[] {
  const ids = Array.isArray(dependency['action_ids']) ? (dependency['action_ids'] as readonly Json[]) : [];
  return ids.flatMap((id) => tools.action(asText(dependency['resource_id']), Number(id)) ?? []);
}

const extractionOf =
  (sources: readonly number[], tools: PlanTools) =>
  (entry: Readonly<Record<string, Json>>): Extract[] => {
    const name = asText(entry['for']);
    const path = asText(entry['extract']);
    const slot = tools.slot(name);
    if (slot === null) return [];
    for (const source of sources) tools.takes(source, path === SELF ? [] : splitPath(path));
    return [extraction(path, name, sources, slot)];
  };

function before(extracts: readonly Extract[]): Step[] {
  if (extracts.length === 0) return [];
  const run = (frame: Frame): void => {
    for (const extract of extracts) extract(frame);
  };
  return [{ id: 'depends_on', phase: ActionPhase.PREPARE, order: -100, run }];
}

/** Names values of the actionable's own result before `returnables` removes fields. */
function after(entries: readonly Readonly<Record<string, Json>>[], tools: PlanTools): Step[] {
  return entries.flatMap((entry) => {
    const name = asText(entry['for']);
    const slot = tools.slot(name);
    if (slot === null) return [];
    const read = readerOf(asText(entry['extract']));
    const run = (frame: Frame, { result }: ActionState): void => {
      const value = read(result);
      if (value === undefined) throw fault('DEP_UNRESOLVED', { name });
      frame.slots[slot] = value;
    };
    return [{ id: 'extract_response_for', phase: ActionPhase.SHAPE, order: -200, run }];
  });
}

/** The path that selects the whole result. */
const SELF = 'self_';

const readerOf = (path: string): ((result: unknown) => unknown) =>
  path === SELF ? (result) => result : compilePath(splitPath(path));

/** The first named result that has the path provides the value; if none has it, the request fails. */
function extraction(path: string, name: string, sources: readonly number[], slot: number): Extract {
  const read = readerOf(path);
  return (frame) => {
    for (const source of sources) {
      const value = read(frame.results[source]);
      if (value !== undefined) {
        frame.slots[slot] = value;
        return;
      }
    }
    throw fault('DEP_UNRESOLVED', { name });
  };
}
