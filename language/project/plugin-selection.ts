/** The plugins that definitions and the config need. */
import type { PluginId } from '../../contract/plugin.js';
import type { Config, ConfiguredPlugin } from '../analysis/config.js';
import type { Registry } from '../analysis/registry.js';
import { compileValue } from '../strings/value-reader.js';
import type { Environment } from './environment.js';
import { isPatternMatch } from './plugin-folders.js';

/** Plugins without a definition or section that selects them. */
export function listEnabledPlugins(registry: Registry, config: Config): ConfiguredPlugin[] {
  return [...registry.plugins.values()].flatMap((spec) => {
    const { kind, name } = spec;
    const options = registry.kind(kind)?.enable?.({ ...config }, spec) as
      | ConfiguredPlugin['options']
      | null
      | undefined;
    return options ? [{ kind, instance: name, name, options }] : [];
  });
}

export interface InstanceRequest {
  readonly key: string;
  readonly id: PluginId;
  readonly instance: string;
  readonly options: ConfiguredPlugin['options'];
}

/** Replaces `$ENV`; the checker has rejected other accessors. */
export function resolveOptions(
  options: ConfiguredPlugin['options'],
  env: Environment,
): Readonly<Record<string, unknown>> {
  const compiled = compileValue(options, ({ tail }) => ({ constant: true, read: () => env[tail[0] ?? ''] }));
  return (compiled.constant ? compiled.read() : {}) as Readonly<Record<string, unknown>>;
}

/** Always, or when a plugin in use requires them. */
export function listWantedInstances(
  registry: Registry,
  uses: Iterable<PluginId>,
  chosen: readonly ConfiguredPlugin[],
): InstanceRequest[] {
  const findSection = (id: PluginId) => registry.kind(id.split(':')[0] ?? '')?.config;
  const isPlain = (id: PluginId): boolean => registry.plugins.has(id) && findSection(id) === undefined;
  const configured = new Map<string, InstanceRequest>();
  /** Needed by plugins that defer or schedule work. */
  const partRunners = [...registry.plugins].flatMap(([id, { facts }]) => (facts?.parts === true ? [id] : []));
  const plain = new Set([...uses].filter(isPlain));
  for (let before = -1; before !== configured.size + plain.size;) {
    before = configured.size + plain.size;
    const inUse = [...plain, ...[...configured.values()].map(({ id }) => id)];
    const required = inUse.flatMap((id) => registry.plugins.get(id)?.requires ?? []);
    required.filter(isPlain).forEach((id) => plain.add(id));
    if (inUse.some((id) => registry.plugins.get(id)?.timing !== undefined)) partRunners.forEach((id) => plain.add(id));
    const isNamed = (instance: string): boolean =>
      [...configured.values()].some(({ options }) => Object.values(options).includes(instance));
    for (const { kind, instance, name, options, onDemand: spare } of chosen) {
      const id = `${kind}:${name}`;
      if (spare === true && !isNamed(instance)) continue;
      const section = findSection(id);
      if (section?.load === 'when-required' && !required.some((pattern) => isPatternMatch(pattern, id))) continue;
      const key = section?.many === true ? `${id}/${instance}` : id;
      configured.set(key, { key, id, instance, options });
    }
  }
  const named = [...plain].map((id) => ({ key: id, id, instance: id.split(':')[1] ?? id, options: {} }));
  return [...sortByRequirement([...configured.values()], registry), ...named];
}

/** Places each configured plugin after those it requires. */
function sortByRequirement(wanted: readonly InstanceRequest[], { plugins }: Registry): readonly InstanceRequest[] {
  const order = new Set<InstanceRequest>();
  const seen = new Set<InstanceRequest>();
  const put = (one: InstanceRequest): void => {
    if (seen.has(one)) return;
    seen.add(one);
    const requires = plugins.get(one.id)?.requires ?? [];
    for (const other of wanted) if (requires.some((pattern) => isPatternMatch(pattern, other.id))) put(other);
    order.add(one);
  };
  wanted.forEach(put);
  return [...order];
}
