/** Checks the dependency graph: cycles, unreachable actionables, deferred or parallel dependencies, and missing guards. */
import type { PluginId } from '../../contract/plugin.js';
import type { Registry } from './registry.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import { createFix, type Report, type SourceLocation } from './report.js';
import { removeMember } from '../source/edit-json.js';
import { findMember } from '../source/tree.js';

export function checkGraph(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  const actions = new Map(resources.flatMap((resource) => resource.actions.map((action) => [action.key, action])));
  reportCycles(actions, report);
  reportUnreachable(actions, report);
  reportParallel(actions, report);
  reportLater(resources, actions, registry, report);
  reportPrivilege(resources, registry, report);
}

/** Foreground and scheduled actionables cannot depend on one that defers itself. */
function reportLater(
  resources: readonly LinkedResource[],
  actions: ReadonlyMap<string, LinkedAction>,
  registry: Registry,
  report: Report,
): void {
  const immediate = new Set(
    resources.flatMap(({ definition, actions: own }) =>
      own.filter(({ node }) =>
        definition.finds.places.some(
          ({ node: at, plugin }) => at === node && registry.plugins.get(plugin)?.facts?.immediate === true,
        ),
      ),
    ),
  );
  const seen = new Set<LinkedAction>();
  const visit = (action: LinkedAction): void => {
    if (seen.has(action)) return;
    seen.add(action);
    for (const { to, spot } of action.edges) {
      const target = actions.get(to);
      if (target === undefined) continue;
      const isLater = target.timing.own && !target.noOp && !immediate.has(target);
      if (isLater) report.add('LNK_LATER', spot, { name: target.id });
      else visit(target);
    }
  };
  for (const action of actions.values()) {
    const { noOp, timing } = action;
    if (!noOp && (!timing.later || timing.scheduled || immediate.has(action))) visit(action);
  }
}

/** Parallel actionables have no order, so neither end of a dependency may be parallel. */
function reportParallel(actions: ReadonlyMap<string, LinkedAction>, report: Report): void {
  for (const action of actions.values()) {
    for (const { to, spot } of action.edges) {
      const parallel = [action, actions.get(to)].find((end) => end?.parallel === true);
      if (parallel === undefined) continue;
      const member = findMember(parallel.node, 'parallel');
      const here = parallel.spot.doc === spot.doc && member !== undefined;
      const changes = here ? removeMember(spot.doc, parallel.node, member) : [];
      const fix = createFix(`remove "parallel" from actionable ${parallel.id}`, changes, true);
      report.add('LNK_PARALLEL', spot, { name: parallel.id }, fix);
    }
  }
}

/** `by`: what the guard checks callers against; equal guards have equal `plugin` and `by`. */
interface Guard {
  readonly plugin: PluginId;
  readonly by: string;
}

/** A dependency runs without its own resource's guards, so the dependent resource must have them. */
function reportPrivilege(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  const findFacts = (kind: string, name: string) => registry.plugin(kind, name)?.facts;
  const listGuards = ({ definition }: LinkedResource): Guard[] =>
    definition.finds.places.flatMap(({ plugin, node, value, holder }) => {
      const spec = registry.plugins.get(plugin);
      if (node !== definition.node || spec?.facts?.guards !== true) return [];
      return [{ plugin, by: spec.getCallerKey?.({ value, holder, facts: findFacts }) ?? '' }];
    });
  const owners = new Map(resources.flatMap((resource) => resource.actions.map((action) => [action.key, resource])));
  for (const resource of resources) {
    const own = listGuards(resource);
    for (const { to, spot } of resource.actions.flatMap(({ edges }) => edges)) {
      const target = owners.get(to);
      if (target === undefined || target === resource) continue;
      const missing = listGuards(target).find(
        ({ plugin, by }) => !own.some((one) => one.plugin === plugin && one.by === by),
      );
      if (missing === undefined) continue;
      const guard = `\`${missing.plugin.slice(missing.plugin.indexOf(':') + 1)}\``;
      const isOther = own.some(({ plugin }) => plugin === missing.plugin);
      const lack = isOther ? 'has one that admits others' : 'is not';
      report.add('LNK_PRIVILEGE', spot, { target: target.id, guard, lack });
    }
  }
}

type VisitState = 'open' | 'done';

function reportCycles(actions: ReadonlyMap<string, LinkedAction>, report: Report): void {
  const colour = new Map<string, VisitState>();
  for (const start of actions.values()) {
    if (colour.has(start.key)) continue;
    const path: { action: LinkedAction; next: number }[] = [{ action: start, next: 0 }];
    colour.set(start.key, 'open');
    for (;;) {
      const top = path.at(-1);
      if (top === undefined) break;
      const edge = top.action.edges[top.next++];
      if (edge === undefined) {
        colour.set(top.action.key, 'done');
        path.pop();
        continue;
      }
      const target = actions.get(edge.to);
      if (target === undefined) continue;
      if (colour.get(edge.to) === 'open')
        reportCycle(
          path.map((entry) => entry.action),
          edge,
          report,
        );
      else if (!colour.has(edge.to)) {
        colour.set(edge.to, 'open');
        path.push({ action: target, next: 0 });
      }
    }
  }
}

function reportCycle(
  path: readonly LinkedAction[],
  closing: { to: string; spot: SourceLocation },
  report: Report,
): void {
  const members = path.slice(path.findIndex((action) => action.key === closing.to));
  const cycle = [...members.map((action) => action.key), closing.to].join(' -> ');
  const related = members.flatMap((action, i) => {
    const next = members[i + 1]?.key;
    const edge = action.edges.find((candidate) => candidate.to === next);
    return edge === undefined ? [] : [{ message: `${action.key} waits for ${edge.to}`, spot: edge.spot }];
  });
  report.add('LNK_CYCLE', closing.spot, { cycle }, { related });
}

function reportUnreachable(actions: ReadonlyMap<string, LinkedAction>, report: Report): void {
  const named = new Set([...actions.values()].flatMap((action) => action.edges.map((edge) => edge.to)));
  for (const action of actions.values()) {
    if (!action.noOp || named.has(action.key)) continue;
    const member = findMember(action.node, 'no_op');
    if (member === undefined) continue;
    const { doc } = action.spot;
    // No fix: this may lack its reference, or must not run on each request.
    report.add('LNK_UNREACHABLE', { doc, start: member.keyStart, end: member.keyEnd });
  }
}
