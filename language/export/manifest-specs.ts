/** Converts a manifest to kinds and specs. Checks in code are missing, so invalid definitions may pass. */
import type { Kind } from '../../contract/kind.js';
import { definePlugin } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import { createFoldedSchema } from '../schema/fold.js';
import type { Manifest, ManifestKind, ManifestPlugin } from './manifest.js';

export interface ManifestSpecs {
  readonly kinds: readonly Kind[];
  readonly specs: readonly PluginSpec[];
}

export const toSpecs = ({ kinds, plugins }: Manifest): ManifestSpecs => ({
  kinds: kinds.map(toKind),
  specs: plugins.map(toSpec),
});

function toKind({ common, config, ...rest }: ManifestKind): Kind {
  return {
    ...rest,
    // Handles are never created where a manifest is read.
    handle: rest.handle as readonly never[],
    // Manifest examples contain their own `host`, because the kind's code is not available.
    host: () => ({ file: 'resource', json: {}, at: '' }),
    ...(common !== null && { common: createFoldedSchema(common) }),
    ...(config !== null && { config: { ...config, default: () => (config.many ? {} : null) } }),
  };
}

function toSpec(plugin: ManifestPlugin): PluginSpec {
  const { slots, deprecated, hasCheck: _, runtime: __, ...rest } = plugin;
  return definePlugin({
    ...rest,
    ...(deprecated !== null && { deprecated }),
    slots: Object.fromEntries(Object.entries(slots).map(([slot, node]) => [slot, createFoldedSchema(node)])),
  });
}
