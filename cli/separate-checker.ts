/** Checks statements in a process of its own. */
import { join } from 'node:path';
import type { Config } from '../language/analysis/config.js';
import { findMissingPackages } from '../language/project/missing-packages.js';
import { openScratchHere } from '../language/project/store-checks.js';
import { findPackageFolder, SCRATCH_WORKER } from '../language/project/package-folder.js';
import { createScratchProcess } from '../language/project/scratch-process.js';
import { createScratchChecker, type StatementChecker } from '../language/project/statement-checks.js';
import { isBuiltin } from '../plugins/distribution.js';
import type { Project } from '../language/project/project.js';

/** In a process apart, which opens its store while this one analyses. Plugins of the project open theirs here. */
export function createSeparateChecker(project: Project, { chosen }: Pick<Config, 'chosen'>): StatementChecker {
  const { registry, runtimes, folder } = project;
  const worker = join(findPackageFolder(import.meta.url), SCRATCH_WORKER);
  let ended: string | null = null;
  const apart = createScratchProcess({ worker, folder, isPatient: false, onEnd: (what) => (ended = what) });
  const own = createScratchChecker({
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
