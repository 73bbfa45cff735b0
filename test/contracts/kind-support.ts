/** Handles of real plugins for the contract suites of kinds: loaded as the kernel loads them, connected to nothing. */
import { join } from 'node:path';
import { expect } from 'chai';
import { BootError } from '../../contract/boot-error.js';
import type { Log } from '../../contract/plugin.js';
import { createHooks } from '../../kernel/runtime/hooks.js';
import { createInstances } from '../../kernel/runtime/instances.js';
import { createRuntimeServices } from '../../kernel/runtime/runtime-services.js';
import { loadProject } from '../../plugins/distribution.js';
import type { Project } from '../../language/project/project.js';
import { EXAMPLE_ENV } from '../support/example-env.js';
import { PLUGIN_FIXTURES, createTempProject } from '../support/project.js';

export interface Plugins {
  readonly project: Project;
  /** Names of the plugins of a kind. */
  readonly names: (kind: string) => readonly string[];
  readonly fact: (kind: string, name: string, fact: string) => unknown;
  /** The handle of a plugin; imports its runtime. */
  readonly handle: <H>(kind: string, name: string) => Promise<H>;
}

export const ENV = EXAMPLE_ENV;

const doNothing = (): void => {};
const SILENT: Log = { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing };

/** Example plugins that are not part of the distribution. */
export const FOLDERS: readonly string[] = ['short-code', 'limits'].map((name) => join(PLUGIN_FIXTURES, name));

let shared: Promise<Plugins> | undefined;

/** Those of the distribution and the examples, loaded once for a process. */
export const loadAllPlugins = (): Promise<Plugins> => (shared ??= loadPlugins(FOLDERS));

/** A project has only the optional packages of the plugins that it uses. */
const ignoreMissingPackage = (error: unknown): void => {
  if (!(error instanceof BootError && error.code === 'PLG_PACKAGE')) throw error;
};

/** Declares the contract of a kind for each of its plugins, so a plugin that is added is tested without an edit. */
export function describeContract(
  plugins: Plugins,
  kind: string,
  contract: (plugins: Plugins, name: string) => void,
): void {
  const names = plugins.names(kind);
  describe(`contract of kind ${kind}`, () => {
    it('finds several plugins', () => expect(names.length).to.be.greaterThan(1));
    for (const name of names) contract(plugins, name);
  });
}

/** `folders` are plugin folders next to those of the distribution. */
export async function loadPlugins(
  folders: readonly string[],
  env: Readonly<Record<string, string>> = ENV,
): Promise<Plugins> {
  const temporary = await createTempProject({ 'lintel.config.json': { plugins: ['builtin:*', ...folders] } });
  const project = await loadProject(temporary.folder, undefined, env);
  await temporary.dispose();
  const signal = new AbortController().signal;
  const running = createRuntimeServices({
    plans: () => null,
    served: () => null,
    hooks: () => null,
    listJobAdmins: () => [],
    codes: {},
    docs: () => '',
    runner: () => expect.fail('no part runs'),
    log: SILENT,
  });
  const instances = createInstances({ project, hooks: createHooks(), log: SILENT, signal, running });
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
      for (const id of everything) await instances.load([id], []).catch(ignoreMissingPackage);
      return instances.handle(`${kind}:${name}`) as H;
    },
  };
}
