/**
 * Checks statements in stores, without running them. Answers of scratch stores are cached until the statement or its
 * tables change.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ModelTable, StorePlace } from '../../contract/model.js';
import { pluginId, type PluginId } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import type {
  Scratch,
  StatementAnswer,
  StatementDescription,
  StatementRejection,
} from '../../contract/statement-check.js';
import type { StatementRejections } from '../analysis/checks/rejections.js';
import type { Config } from '../analysis/config.js';
import type { SqlText } from '../analysis/facts.js';
import type { Analysis } from '../analysis/analysis.js';
import type { CheckableStatement } from '../analysis/model.js';
import { compileTables } from '../analysis/model-tables.js';
import type { Registry } from '../analysis/registry.js';
import { readScripts } from './scripts.js';

export interface StatementFindings {
  readonly rejections: StatementRejections;
  readonly descriptions: ReadonlyMap<SqlText, StatementDescription>;
}

export const areEqualRejections = (some: StatementRejections, others: StatementRejections): boolean =>
  some.size === others.size &&
  [...some].every(([statement, rejection]) => isDeepStrictEqual(others.get(statement), rejection));

export interface StatementChecker {
  /** Opens the scratch stores that the config may need. */
  readonly openStores: () => void;
  /** `isPart`: answers about statements that are not in the analysis are kept. */
  readonly check: (analysis: Analysis, isPart?: boolean) => Promise<StatementFindings>;
  close(): Promise<void>;
}

type CheckStore = (
  place: StorePlace,
  tables: readonly ModelTable[],
  statements: readonly CheckableStatement[],
) => Promise<readonly StatementAnswer[]>;

export async function checkAnalysis(
  { checkableStatements, models }: Analysis,
  registry: Registry,
  checkStore: CheckStore,
): Promise<StatementFindings> {
  const tables = compileTables(models, registry);
  const rejections = new Map<SqlText, StatementRejection>();
  const descriptions = new Map<SqlText, StatementDescription>();
  for (const { place, group } of groupByStore(checkableStatements)) {
    const named = new Set(group.flatMap((one) => one.models));
    const own = [...named].flatMap((model) => tables.get(model) ?? []);
    // Equal statements have one answer.
    const keys = group.map(({ text, values }) => JSON.stringify([text, values]));
    const asked = new Map(group.map((one, i) => [keys[i] ?? '', one]));
    const answers = await checkStore(place, own, [...asked.values()]);
    const byKey = new Map([...asked.keys()].map((key, i) => [key, answers[i]]));
    for (const [i, { statement }] of group.entries()) {
      const { rejection = null, description = null } = byKey.get(keys[i] ?? '') ?? {};
      if (rejection !== null) rejections.set(statement, rejection);
      if (description !== null) descriptions.set(statement, description);
    }
  }
  return { rejections, descriptions };
}

function groupByStore(
  statements: readonly CheckableStatement[],
): readonly { readonly place: StorePlace; readonly group: CheckableStatement[] }[] {
  const groups = new Map<string, { place: StorePlace; group: CheckableStatement[] }>();
  for (const one of statements) {
    const key = `${one.place.kind}/${one.place.instance}`;
    const known = groups.get(key) ?? { place: one.place, group: [] };
    known.group.push(one);
    groups.set(key, known);
  }
  return [...groups.values()];
}

export function listScratchPlugins(registry: Registry, chosen: Config['chosen']): PluginSpec[] {
  const syntaxOf = ({ kind, name }: Config['chosen'][number]): unknown => registry.plugin(kind, name)?.facts?.syntax;
  return [...registry.plugins.values()].filter(
    ({ kind, facts }) =>
      facts?.scratch === true && chosen.some((one) => one.kind === kind && syntaxOf(one) === facts.syntax),
  );
}

interface ScratchCheckerOptions {
  readonly registry: Registry;
  /** Of the project, for its scripts. */
  readonly folder: string;
  readonly chosen: () => Config['chosen'];
  /** Null where the plugin makes no scratch store. */
  readonly openScratch: (id: PluginId) => Promise<Scratch | null>;
}

export function createScratchChecker({
  registry,
  folder,
  chosen,
  openScratch,
}: ScratchCheckerOptions): StatementChecker {
  const open = new Map<PluginId, Scratch>();
  /** By connection; only the answers of its last check are kept. */
  const known = new Map<string, ReadonlyMap<string, StatementAnswer>>();

  async function findScratch(id: PluginId): Promise<Scratch | null> {
    const there = open.get(id);
    if (there !== undefined) return there;
    const made = await openScratch(id);
    if (made !== null) open.set(id, made);
    return made;
  }

  async function checkInScratch(
    { kind, instance }: StorePlace,
    tables: readonly ModelTable[],
    statements: readonly CheckableStatement[],
    isPart: boolean,
  ): Promise<readonly StatementAnswer[]> {
    const own = chosen().find((one) => one.kind === kind && one.instance === instance)?.name;
    const syntax = statements[0]?.syntax ?? null;
    const spare = [...registry.plugins.values()].find(
      (spec) => spec.kind === kind && spec.facts?.scratch === true && spec.facts.syntax === syntax,
    );
    if (own === undefined || spare === undefined) return [];
    const added = await readScripts(folder, instance, registry.kind(kind)?.config?.must ?? instance);
    const shared = JSON.stringify([own, added]);
    const shapes = new Map(tables.map((table) => [table.model, JSON.stringify([table.table, table.columns])]));
    // Scripts can read any table, so the key has all.
    const every = added.length === 0 ? '' : [...shapes.values()].join('\n');
    const store = `${kind}/${instance}`;
    const before = known.get(store);
    const keys = statements.map(({ text, values, models }) =>
      JSON.stringify([shared, every, text, values, models.map((model) => shapes.get(model))]),
    );
    const fresh = new Map(statements.flatMap((one, i) => (before?.has(keys[i] ?? '') ? [] : [[keys[i] ?? '', one]])));
    const answers = new Map<string, StatementAnswer>();
    if (fresh.size > 0) {
      const scratch = await findScratch(pluginId(spare));
      const questions = [...fresh.values()].map(({ text, values }) => ({ text, values }));
      const remote = own !== spare.name;
      const checked = (await scratch?.checkStatements({ instance, tables, questions, scripts: added, remote })) ?? [];
      [...fresh.keys()].forEach((key, i) => answers.set(key, checked[i] ?? UNKNOWN));
    }
    for (const key of keys) answers.set(key, answers.get(key) ?? before?.get(key) ?? UNKNOWN);
    known.set(store, isPart ? new Map([...(known.get(store) ?? []), ...answers]) : answers);
    return keys.map((key) => answers.get(key) ?? UNKNOWN);
  }

  return {
    openStores() {
      for (const spec of listScratchPlugins(registry, chosen())) {
        // The check reports the error.
        findScratch(pluginId(spec)).catch(() => undefined);
      }
    },
    check: (analysis, isPart = false) =>
      checkAnalysis(analysis, registry, (place, tables, statements) =>
        checkInScratch(place, tables, statements, isPart),
      ),
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.all(all.map((scratch) => scratch.close()));
    },
  };
}

const UNKNOWN: StatementAnswer = { rejection: null, description: null };
