/** Checks statements in scratch stores of this process, or in open stores. */
import type { PluginId, PluginRuntime, RuntimeContext } from '../../contract/plugin.js';
import type { QueryRejection, Scratch, Script } from '../../contract/statement-check.js';
import type { QueryRejections, StatementRejections } from '../analysis/checks/rejections.js';
import type { Config } from '../analysis/config.js';
import type { DocumentQuery } from '../analysis/facts.js';
import { compileTables } from '../analysis/model-tables.js';
import type { Registry } from '../analysis/registry.js';
import { findMissingPackages } from './missing-packages.js';
import type { LoadedDefinitions, Project } from './project.js';
import { checkAnalysis, createScratchChecker, type StatementChecker } from './statement-checks.js';
import { readScripts } from './scripts.js';

/** A plugin that has been opened. */
export interface OpenPlugin {
  readonly id: PluginId;
  readonly runtime: PluginRuntime<unknown>;
  readonly context: RuntimeContext;
  handle(): unknown;
}

export const createProjectChecker = (
  { registry, runtimes, folder }: Project,
  { chosen }: Pick<Config, 'chosen'>,
): StatementChecker =>
  createScratchChecker({
    registry,
    folder,
    chosen: () => chosen,
    openScratch: (id) => openScratchHere(registry, runtimes, id),
  });

/** Null without a scratch store or its packages. */
export async function openScratchHere(
  registry: Registry,
  runtimes: Project['runtimes'],
  id: PluginId,
): Promise<Scratch | null> {
  if (findMissingPackages(registry, id).length > 0) return null;
  const runtime = await runtimes.get(id)?.();
  return (await runtime?.scratch?.()) ?? null;
}

/** Adds what the open stores reject; `all` has the query languages too. */
export async function checkInStores(
  definitions: LoadedDefinitions,
  { registry }: Project,
  stores: readonly OpenPlugin[],
  all: readonly OpenPlugin[],
): Promise<LoadedDefinitions> {
  const rejections = await Promise.all([
    checkStatements(definitions, registry, stores),
    checkQueriesInStores(definitions, { registry }, stores, all),
  ]);
  return rejections.every(({ size }) => size === 0) ? definitions : definitions.withRejections(...rejections);
}

async function checkStatements(
  { analysis }: LoadedDefinitions,
  registry: Registry,
  instances: readonly OpenPlugin[],
): Promise<StatementRejections> {
  const { rejections } = await checkAnalysis(analysis, registry, async ({ kind, instance }, tables, items) => {
    const store = instances.find(({ id, context }) => id.startsWith(`${kind}:`) && context.instance === instance);
    const checked = (await store?.runtime.checkStatements?.(store.handle(), items, tables, store.context)) ?? [];
    return checked.map((rejection) => ({ rejection, description: null }));
  });
  return rejections;
}

export async function checkQueriesInStores(
  { analysis }: LoadedDefinitions,
  { registry }: Pick<Project, 'registry'>,
  stores: readonly OpenPlugin[],
  all: readonly OpenPlugin[],
): Promise<QueryRejections> {
  const rejections = new Map<DocumentQuery, QueryRejection>();
  const items = analysis.checkableQueries.filter(({ place }) =>
    stores.some(({ id, context }) => id.startsWith(`${place.kind}:`) && context.instance === place.instance),
  );
  const tables = [...compileTables(analysis.models, registry).values()];
  for (const plugin of new Set(items.map((one) => one.plugin))) {
    const language = all.find(({ id }) => id === plugin);
    const own = items.filter((one) => one.plugin === plugin);
    const answers = (await language?.runtime.checkQueries?.(language.handle(), own, tables)) ?? [];
    for (const [i, { query }] of own.entries()) {
      const answer = answers[i] ?? null;
      if (answer !== null) rejections.set(query, answer);
    }
  }
  return rejections;
}

/** Reads the scripts of an open store. */
export const createScriptReader =
  (folder: string, registry: Registry) =>
  ({ id, context }: OpenPlugin): Promise<readonly Script[]> =>
    readScripts(folder, context.instance, registry.kind(id.split(':')[0] ?? '')?.config?.must ?? context.instance);
