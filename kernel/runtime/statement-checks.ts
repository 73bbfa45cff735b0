/** The stores in which the kernel checks statements: scratch stores in this process, or the open ones. */
import type { StatementRejections } from '../../language/analysis/checks/rejections.js';
import type { Config } from '../../language/analysis/config.js';
import {
  checkAnalysis,
  createScratchChecker as createChecker,
  type StatementChecker,
} from '../../language/project/statement-checks.js';
import type { Instance } from './instances.js';
import type { LoadedDefinitions, Project } from './project.js';

export const createScratchChecker = (
  { registry, runtimes, folder }: Project,
  { chosen }: Pick<Config, 'chosen'>,
): StatementChecker =>
  createChecker({
    registry,
    folder,
    chosen: () => chosen,
    async openScratch(id) {
      const runtime = await runtimes.get(id)?.();
      return (await runtime?.scratch?.()) ?? null;
    },
  });

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
