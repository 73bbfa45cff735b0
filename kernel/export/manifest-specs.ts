/**
 * Kinds and specs as a registry takes them, from a manifest: they say all that data can say. A check that is code is not
 * there, so what they judge may look sound and not be.
 */
import type { Kind } from '../contract/kind.js';
import { definePlugin, type PluginSpec } from '../contract/plugin.js';
import { foldedSchema } from '../schema/fold.js';
import type { Manifest, ManifestKind, ManifestPlugin } from './manifest.js';

export interface ManifestSpecs {
  readonly kinds: readonly Kind[];
  readonly specs: readonly PluginSpec[];
}

export const specsOf = ({ kinds, plugins }: Manifest): ManifestSpecs => ({
  kinds: kinds.map(kindOf),
  specs: plugins.map(specOf),
});

function kindOf({ common, config, ...rest }: ManifestKind): Kind {
  return {
    ...rest,
    // Nobody makes handles where a manifest is read.
    handle: rest.handle as readonly never[],
    // An example brings its own file (`host`), which only the kind's code could make.
    host: () => ({ file: 'resource', json: {}, at: '' }),
    ...(common !== null && { common: foldedSchema(common) }),
    ...(config !== null && { config: { ...config, default: () => (config.many ? {} : null) } }),
  };
}

function specOf(plugin: ManifestPlugin): PluginSpec {
  const { slots, deprecated, hasCheck: _, runtime: __, ...rest } = plugin;
  return definePlugin({
    ...rest,
    ...(deprecated !== null && { deprecated }),
    slots: Object.fromEntries(Object.entries(slots).map(([slot, node]) => [slot, foldedSchema(node)])),
  });
}
