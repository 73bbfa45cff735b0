/**
 * Checks the statements of an analysis in scratch or open stores, without running them. Scratch results are cached until the
 * statement or one of its tables changes.
 */
import type { ModelTable, StorePlace } from '../../contract/model.js';
import type { PluginId } from '../../contract/plugin.js';
import type { StatementRejection, Scratch } from '../../contract/statement-check.js';
import type { CheckableStatement } from '../../language/analysis/checkable-statements.js';
import type { StatementRejections } from '../../language/analysis/checks/rejections.js';
import type { Config } from '../../language/analysis/config.js';
import type { Analysis } from '../../language/analysis/model.js';
import type { SqlText } from '../../language/analysis/facts.js';
import { compileTables } from '../plan/tables.js';
import type { Instance } from './instances.js';
import { readScripts } from '../../language/project/scripts.js';
import type { LoadedDefinitions, Project } from './project.js';

export interface StatementChecker {
  readonly check: (analysis: Analysis) => Promise<StatementRejections>;
  close(): Promise<void>;
}

type Answer = StatementRejection | null;
type CheckStore = (
  place: StorePlace,
  tables: readonly ModelTable[],
  asked: readonly CheckableStatement[],
) => Promise<readonly Answer[]>;

async function checkAnalysis(
  { checkableStatements, models }: Analysis,
  registry: Project['registry'],
  ask: CheckStore,
): Promise<StatementRejections> {
  const tables = compileTables(models, registry);
  const refusals = new Map<SqlText, StatementRejection>();
  for (const { place, group } of groupByStore(checkableStatements)) {
    const named = new Set(group.flatMap((one) => one.models));
    const own = [...named].flatMap((model) => tables.get(model) ?? []);
    const answers = await ask(place, own, group);
    for (const [i, { statement }] of group.entries()) {
      const answer = answers[i] ?? null;
      if (answer !== null) refusals.set(statement, answer);
    }
  }
  return refusals;
}

function groupByStore(
  asked: readonly CheckableStatement[],
): readonly { readonly place: StorePlace; readonly group: CheckableStatement[] }[] {
  const groups = new Map<string, { place: StorePlace; group: CheckableStatement[] }>();
  for (const one of asked) {
    const key = `${one.place.kind}/${one.place.instance}`;
    const known = groups.get(key) ?? { place: one.place, group: [] };
    known.group.push(one);
    groups.set(key, known);
  }
  return [...groups.values()];
}

export function createScratchChecker(
  { registry, runtimes, folder }: Project,
  { chosen }: Pick<Config, 'chosen'>,
): StatementChecker {
  const open = new Map<PluginId, Scratch>();
  const known = new Map<string, Answer>();

  async function openScratch(id: PluginId): Promise<Scratch | null> {
    const there = open.get(id);
    if (there !== undefined) return there;
    const runtime = await runtimes.get(id)?.();
    const made = (await runtime?.scratch?.()) ?? null;
    if (made !== null) open.set(id, made);
    return made;
  }

  const checkInScratch: CheckStore = async ({ kind, instance }, tables, asked) => {
    const own = chosen.find((one) => one.kind === kind && one.instance === instance)?.name;
    const syntax = asked[0]?.syntax ?? null;
    const spare = [...registry.plugins.values()].find(
      (spec) => spec.kind === kind && spec.facts?.['scratch'] === true && spec.facts['syntax'] === syntax,
    );
    if (own === undefined || spare === undefined) return [];
    const added = await readScripts(folder, instance, registry.kind(kind)?.config?.must ?? instance);
    const shared = JSON.stringify([instance, added]);
    const shapes = new Map(tables.map((table) => [table.model, JSON.stringify([table.table, table.columns])]));
    // The added scripts can read any table, so the key contains all of them.
    const every = added.length === 0 ? '' : [...shapes.values()].join('\n');
    const keys = asked.map(({ text, values, models }) =>
      JSON.stringify([shared, every, text, values, models.map((model) => shapes.get(model))]),
    );
    const fresh = asked.flatMap((one, i) => (known.has(keys[i] ?? '') ? [] : [{ one, key: keys[i] ?? '' }]));
    if (fresh.length > 0) {
      const scratch = await openScratch(`${spare.kind}:${spare.name}`);
      const remote = own !== spare.name;
      const questions = fresh.map(({ one }) => one);
      const answers = (await scratch?.checkStatements({ instance, tables, questions, scripts: added, remote })) ?? [];
      fresh.forEach(({ key }, i) => known.set(key, answers[i] ?? null));
    }
    return keys.map((key) => known.get(key) ?? null);
  };

  return {
    check: (analysis) => checkAnalysis(analysis, registry, checkInScratch),
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.all(all.map((scratch) => scratch.close()));
    },
  };
}

export const checkInStores = (
  { analysis }: LoadedDefinitions,
  { registry }: Project,
  instances: readonly Instance[],
): Promise<StatementRejections> =>
  checkAnalysis(analysis, registry, async ({ kind, instance }, tables, asked) => {
    const store = instances.find(({ id, context }) => id.startsWith(`${kind}:`) && context.instance === instance);
    return (await store?.runtime.checkStatements?.(store.handle(), asked, tables, store.context)) ?? [];
  });
