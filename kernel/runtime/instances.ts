/**
 * Imports the runtimes in use and holds their handles. A plugin reaches another one only through `resolve` or `find`, and
 * only if its spec declares it in `requires` or `seeks`.
 */
import 'reflect-metadata';
import { container as root, instanceCachingFactory } from 'tsyringe';
import { BootError } from '../../contract/boot-error.js';
import type { Kind } from '../../contract/kind.js';
import type { PluginId, PluginRuntime, RuntimeContext } from '../../contract/plugin.js';
import type { ConfiguredPlugin } from '../../language/analysis/config.js';
import { createLazy } from '../../language/analysis/memoize.js';
import { requirePackages } from '../../language/project/missing-packages.js';
import { listWantedInstances, resolveOptions, type InstanceRequest } from '../../language/project/plugin-selection.js';
import { attributeErrors } from '../../language/project/plugin-failures.js';
import type { Hooks } from './hooks.js';
import { isPatternMatch } from '../../language/project/plugin-folders.js';
import type { Project } from '../../language/project/project.js';

/** A plugin in use, or one entry of a config section. */
export interface Instance {
  /** `generator:ULID`, or `dialect:postgres/main` for a configured one. */
  readonly key: string;
  readonly id: PluginId;
  readonly runtime: PluginRuntime<unknown>;
  readonly context: RuntimeContext;
  /** Milliseconds. */
  readonly importTime: number;
  handle(): unknown;
}

export type Instances = ReturnType<typeof createInstances>;

export function createInstances({
  project,
  hooks,
  ...services
}: { project: Project; hooks: Hooks } & Pick<RuntimeContext, 'log' | 'signal' | 'running'>) {
  const container = root.createChildContainer();
  const all: Instance[] = [];
  /** Keys of the instances that each plugin has resolved. */
  const taken = new Map<PluginId, Set<string>>();
  const { registry } = project;

  /** Imports plugins that are not loaded yet and returns the new instances. */
  async function load(uses: Iterable<PluginId>, chosen: readonly ConfiguredPlugin[]): Promise<Instance[]> {
    const added: Instance[] = [];
    for (const wanted of listWantedInstances(registry, uses, chosen)) {
      if (all.some((instance) => instance.key === wanted.key)) continue;
      const instance = await loadOne(wanted);
      if (instance !== null) added.push(instance);
    }
    // All or none, because a failing `register` must not leave instances registered but never opened.
    for (const instance of added) {
      const { id, runtime, context } = instance;
      const register = () => runtime.register?.(hooks.createRegistrar(id), context, () => instance.handle());
      attributeErrors(id, 'register', register);
    }
    all.push(...added);
    return added;
  }

  async function loadOne({ key, id, instance, options }: InstanceRequest): Promise<Instance | null> {
    const spec = registry.plugins.get(id);
    const kind = spec && registry.kind(spec.kind);
    const loader = project.runtimes.get(id);
    if (kind === undefined) return null;
    if (loader === undefined) {
      if (kind.handle.length === 0) return null;
      throw new BootError('PLG_NO_RUNTIME', { name: id });
    }
    requirePackages(registry, id);
    const started = performance.now();
    const runtime = await loader();
    const importTime = performance.now() - started;
    const context: RuntimeContext = {
      id,
      instance,
      // Sections of the kernel contain no accessors.
      options: kind.config === undefined ? options : resolveOptions(options, project.env),
      ...services,
      folder: project.folder,
      dev: project.dev,
      tests: project.tests === true,
      ...(project.config !== null && { outbound: project.config.outbound }),
      env: (name) => project.env[name],
      resolve: (other, name) => resolve(id, other, name),
      find: (other, name) => find(id, other, name),
    };
    container.register(key, { useFactory: instanceCachingFactory(() => createHandle(kind, key, runtime, context)) });
    return { key, id, runtime, context, importTime, handle: createLazy(() => container.resolve<object>(key)) };
  }

  function assertDeclared(asking: PluginId, declared: readonly string[], other: PluginId): void {
    if (!declared.some((pattern) => isPatternMatch(pattern, other)))
      throw new BootError('PLG_UNDECLARED', { name: asking, other });
  }

  function resolve<H>(asking: PluginId, kind: Kind<H>, name: string): H {
    const known = all.find((instance) => hasKey(instance, kind, name));
    const other = known?.id ?? `${kind.kind}:${name}`;
    assertDeclared(asking, registry.plugins.get(asking)?.requires ?? [], other);
    if (known === undefined) throw new BootError('PLG_NO_RUNTIME', { name: other });
    const mine = taken.get(asking) ?? new Set();
    taken.set(asking, mine.add(known.key));
    return known.handle() as H;
  }

  function find<H>(asking: PluginId, kind: Kind<H>, name: string): H | null {
    const known = all.find((instance) => hasKey(instance, kind, name));
    if (known === undefined) return null;
    const { seeks = [], requires = [] } = registry.plugins.get(asking) ?? {};
    assertDeclared(asking, [...seeks, ...requires], known.id);
    return known.handle() as H;
  }

  /** Returns the keys of these and of all they have resolved, transitively; `dialect/main` selects one of the resolved. */
  function collectDependencies(from: Iterable<string>): Set<string> {
    const found = new Set<string>();
    const direct = [...from];
    const open = [...direct];
    const isUsed = (key: string): boolean => {
      const [kind = '', instance = ''] = key.split(/:.*\//);
      return direct.includes(`${kind}/${instance}`) || !direct.some((one) => one.startsWith(`${kind}/`));
    };
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const { key, id } of all) {
        if ((key !== next && id !== next) || found.has(key)) continue;
        found.add(key);
        open.push(...[...(taken.get(id) ?? [])].filter(isUsed));
      }
    }
    return found;
  }

  return {
    all,
    load,
    resolve,
    collectDependencies,
    /** Removes instances that could not be opened, so that a later load retries them. */
    remove: (instances: readonly Instance[]) => {
      for (const instance of instances) all.splice(all.indexOf(instance), 1);
    },
    handle: (id: string) => {
      const instance = all.find((candidate) => candidate.key === id);
      if (instance === undefined) throw new BootError('PLG_NO_RUNTIME', { name: id });
      return instance.handle();
    },
  };
}

const hasKey = (instance: Instance, kind: Kind<never>, name: string): boolean =>
  kind.config === undefined
    ? instance.key === `${kind.kind}:${name}`
    : instance.id.startsWith(`${kind.kind}:`) && instance.context.instance === name;

function createHandle(kind: Kind, name: string, runtime: PluginRuntime<unknown>, context: RuntimeContext): unknown {
  const handle = attributeErrors(name, 'be made', () => runtime.create?.(context)) ?? {};
  for (const method of kind.handle as readonly string[]) {
    if (typeof (handle as Record<string, unknown>)[method] !== 'function') {
      throw new BootError('PLG_HANDLE', { name, method });
    }
  }
  return handle;
}
