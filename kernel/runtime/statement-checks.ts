/** The stores in which the kernel checks statements: scratch stores in this process, or the open ones. */
import { join } from 'node:path';
import type { PluginId } from '../../contract/plugin.js';
import type { QueryRejection, Scratch } from '../../contract/statement-check.js';
import type { DocumentQuery } from '../../language/analysis/facts.js';
import { compileTables } from '../../language/analysis/model-tables.js';
import type { QueryRejections, StatementRejections } from '../../language/analysis/checks/rejections.js';
import type { Config } from '../../language/analysis/config.js';
import {
  checkAnalysis,
  createScratchChecker as createChecker,
  type StatementChecker,
} from '../../language/project/statement-checks.js';
import type { Registry } from '../../language/analysis/registry.js';
import { findMissingPackages } from '../../language/project/missing-packages.js';
import { findPackageFolder, SCRATCH_WORKER } from '../../language/project/package-folder.js';
import { createScratchProcess } from '../../language/project/scratch-process.js';
import type { Instance } from './instances.js';
import { isBuiltin } from './packages.js';
import type { LoadedDefinitions, Project } from './project.js';

export const createScratchChecker = (
  { registry, runtimes, folder }: Project,
  { chosen }: Pick<Config, 'chosen'>,
): StatementChecker =>
  createChecker({
    registry,
    folder,
    chosen: () => chosen,
    openScratch: (id) => openScratchHere(registry, runtimes, id),
  });

/** Null where the plugin has no scratch store, or its packages are not installed. */
async function openScratchHere(
  registry: Registry,
  runtimes: Project['runtimes'],
  id: PluginId,
): Promise<Scratch | null> {
  if (findMissingPackages(registry, id).length > 0) return null;
  const runtime = await runtimes.get(id)?.();
  return (await runtime?.scratch?.()) ?? null;
}

/** In a process apart, which opens its store while this one analyses. Plugins of the project open theirs here. */
export function createSeparateChecker(project: Project, { chosen }: Pick<Config, 'chosen'>): StatementChecker {
  const { registry, runtimes, folder } = project;
  const worker = join(findPackageFolder(import.meta.url), SCRATCH_WORKER);
  let ended: string | null = null;
  const apart = createScratchProcess({ worker, folder, isPatient: false, onEnd: (what) => (ended = what) });
  const own = createChecker({
    registry,
    folder,
    chosen: () => chosen,
    openScratch: async (id) =>
      isBuiltin(id) && findMissingPackages(registry, id).length === 0
        ? apart.openScratch(id)
        : openScratchHere(registry, runtimes, id),
  });
  return {
    openStores: own.openStores,
    async check(analysis) {
      try {
        return await own.check(analysis);
      } catch (error) {
        if (ended === null) throw error;
        throw new Error(`the process that checks statements has ended: ${ended}`, { cause: error });
      }
    },
    async close() {
      await own.close();
      apart.close();
    },
  };
}

export async function checkInStores(
  { analysis }: LoadedDefinitions,
  { registry }: Project,
  instances: readonly Instance[],
): Promise<StatementRejections> {
  const { rejections } = await checkAnalysis(analysis, registry, async ({ kind, instance }, tables, asked) => {
    const store = instances.find(({ id, context }) => id.startsWith(`${kind}:`) && context.instance === instance);
    const said = (await store?.runtime.checkStatements?.(store.handle(), asked, tables, store.context)) ?? [];
    return said.map((rejection) => ({ rejection, description: null }));
  });
  return rejections;
}

/** `stores`: the open ones; `all` has the query languages too. */
export async function checkQueriesInStores(
  { analysis }: LoadedDefinitions,
  { registry }: Project,
  stores: readonly Instance[],
  all: readonly Instance[],
): Promise<QueryRejections> {
  const rejections = new Map<DocumentQuery, QueryRejection>();
  const asked = analysis.checkableQueries.filter(({ place }) =>
    stores.some(({ id, context }) => id.startsWith(`${place.kind}:`) && context.instance === place.instance),
  );
  const tables = [...compileTables(analysis.models, registry).values()];
  for (const plugin of new Set(asked.map((one) => one.plugin))) {
    const language = all.find(({ id }) => id === plugin);
    const own = asked.filter((one) => one.plugin === plugin);
    const answers = (await language?.runtime.checkQueries?.(language.handle(), own, tables)) ?? [];
    for (const [i, { query }] of own.entries()) {
      const answer = answers[i] ?? null;
      if (answer !== null) rejections.set(query, answer);
    }
  }
  return rejections;
}
