/** Limits the actionables that one request may start, and the length of their dependency chains. */
import { numeric, shape } from '../../contract/combinators.js';
import { findMember } from '../source/tree.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import { listInRunningOrder } from './running-order.js';
import type { Report } from './report.js';

export interface ChainLimits {
  readonly actionables: number;
  readonly depth: number;
}

export const CHAINS: ChainLimits = Object.freeze({ actionables: 50, depth: 10 });

export const createChainSchema = () =>
  shape({
    actionables: numeric({
      doc: 'Maximum number of actionables that run for one request, including those of other resources.',
      unit: 'actionables',
      default: CHAINS.actionables,
    })
      .integer()
      .min(1)
      .max(10_000),
    depth: numeric({
      doc: 'Maximum length of a chain of actionables that depend on each other.',
      unit: 'actionables',
      default: CHAINS.depth,
    })
      .integer()
      .min(1)
      .max(1000),
  }).meta({ doc: 'Limits on the actionables that one request runs.', advanced: true });

export function checkChains(resources: readonly LinkedResource[], limits: ChainLimits, report: Report): void {
  const actions = new Map(resources.flatMap((resource) => resource.actions.map((action) => [action.key, action])));
  const listDependencies = (action: LinkedAction): LinkedAction[] =>
    action.edges.flatMap(({ to }) => actions.get(to) ?? []);
  for (const { definition, actions: own } of resources) {
    const count = listInRunningOrder(own, listDependencies).length;
    const member = findMember(definition.node, 'actionables');
    if (count <= limits.actionables || member === undefined) continue;
    const spot = { doc: definition.doc, start: member.keyStart, end: member.keyEnd };
    report.add('LNK_CHAIN', spot, { count, max: limits.actionables });
  }
  reportDepth(actions, limits.depth, report);
}

/** Reports the edge where the depth first exceeds the limit, not its dependents. */
function reportDepth(actions: ReadonlyMap<string, LinkedAction>, max: number, report: Report): void {
  const depths = new Map<string, number>();
  for (const action of actions.values()) {
    measureDepth(action, actions, depths);
    if (depths.get(action.key) !== max + 1) continue;
    const edge = action.edges.find(({ to }) => depths.get(to) === max);
    if (edge !== undefined) report.add('LNK_DEEP', edge.spot, { name: action.key, other: edge.to, max });
  }
}

/** Iterative depth-first search; edges that close a cycle count as 0. */
function measureDepth(
  start: LinkedAction,
  actions: ReadonlyMap<string, LinkedAction>,
  depths: Map<string, number>,
): void {
  const path = [start];
  const open = new Set([start.key]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = top.edges.find(({ to }) => actions.has(to) && !depths.has(to) && !open.has(to));
    const target = next && actions.get(next.to);
    if (target !== undefined) {
      open.add(target.key);
      path.push(target);
      continue;
    }
    depths.set(top.key, 1 + Math.max(0, ...top.edges.map(({ to }) => depths.get(to) ?? 0)));
    path.pop();
  }
}
