/** Lists the data of plugins without opening them, so that a backup works despite errors. */
import { stat } from 'node:fs/promises';
import type { StoredFolder } from '../contract/local-data.js';
import { resolveOptions } from '../language/project/plugin-selection.js';
import { InvalidDefinitionsError } from '../language/project/invalid-definitions.js';
import { showInvalidDefinitions } from './boot.js';
import type { CommandOptions } from './options.js';
import type { Terminal } from './terminal.js';
import { loadTrustedProject, UNTRUSTED } from './trust.js';

export interface StoredPart extends StoredFolder {
  /** E.g. `dialect:main`. */
  readonly part: string;
  /** E.g. `pglite`. */
  readonly plugin: string;
}

export interface StoredParts {
  readonly here: readonly StoredPart[];
  /** One line for each part that a server stores, with how to copy it. */
  readonly elsewhere: readonly string[];
}

/** The exit code if the config is invalid or its plugins are not trusted. */
export async function listStoredParts(
  command: string,
  options: CommandOptions,
  terminal: Terminal,
): Promise<StoredParts | number> {
  const project = await loadTrustedProject(command, 'code', options, terminal);
  if (project === null) return UNTRUSTED;
  const { config } = project;
  if (config === null) {
    showInvalidDefinitions(new InvalidDefinitionsError(project.configProblems, null), project, terminal);
    return 1;
  }
  const here: StoredPart[] = [];
  const elsewhere: string[] = [];
  for (const { kind, name, instance, options: written } of config.chosen) {
    const runtime = await project.runtimes.get(`${kind}:${name}`)?.();
    const kept = runtime?.describeStorage?.({
      instance,
      options: resolveOptions(written, project.env),
      folder: project.folder,
    });
    if (kept === undefined || kept === null) continue;
    const part = `${kind}:${instance}`;
    if ('elsewhere' in kept)
      elsewhere.push(`${part} (${name}) is stored on a server: copy it with ${kept.elsewhere}.\n`);
    else if (!here.some(({ folder }) => folder === kept.folder)) here.push({ ...kept, part, plugin: name });
  }
  return { here, elsewhere };
}

export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
