/** Handles of real plugins for the contract suites of kinds: loaded as the kernel loads them, connected to nothing. */
import type { Log } from '../../kernel/contract/plugin.js';
import { createHooks } from '../../kernel/runtime/hooks.js';
import { createInstances } from '../../kernel/runtime/instances.js';
import { loadProject, type Project } from '../../kernel/runtime/project.js';
import { tempProject } from '../support/project.js';

export interface Plugins {
  readonly project: Project;
  /** Names of the plugins of a kind. */
  readonly names: (kind: string) => readonly string[];
  readonly fact: (kind: string, name: string, fact: string) => unknown;
  /** The handle of a plugin; imports its runtime. */
  readonly handle: <H>(kind: string, name: string) => Promise<H>;
}

/** Keys of 32 characters, for every format that wants as many, and of 16. */
export const ENV = { EXAMPLE_KEY: 'canary-example-key-Qm7xT2vLs9Rw4', EXAMPLE_KEY_16: 'canary-Hb4nZq8Vt' };

const ignore = (): void => {};
const SILENT: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** `folders` are plugin folders beside those of the distribution. */
export async function loadPlugins(folders: readonly string[]): Promise<Plugins> {
  const temporary = await tempProject({ 'lintel.config.json': { plugins: ['builtin:*', ...folders] } });
  const project = await loadProject(temporary.folder, undefined, ENV);
  await temporary.dispose();
  const signal = new AbortController().signal;
  const instances = createInstances({ project, hooks: createHooks(), log: SILENT, signal });
  const { registry } = project;
  // Accessors and features resolve plugins that a definition names; here all of them are in use.
  const everything = [...registry.plugins.keys()].filter(
    (id) => registry.kind(id.split(':')[0]!)?.config === undefined,
  );
  return {
    project,
    names: (kind) => registry.names(kind),
    fact: (kind, name, fact) => registry.plugin(kind, name)?.facts?.[fact],
    handle: async <H>(kind: string, name: string) => {
      await instances.load(everything, []);
      return instances.handle(`${kind}:${name}`) as H;
    },
  };
}
