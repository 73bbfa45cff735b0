/** What can be written, as JSON Schema. */
import type { Registry } from '../../language/analysis/registry.js';
import { pluginId } from '../../contract/plugin.js';
import { createSchemaWriter } from '../../language/export/json-schema.js';
import { findNearest } from '../../language/source/suggest.js';

export function describeSchemas(registry: Registry, kind: string | undefined, plugin: string | undefined): string {
  if (kind === undefined) return formatJson(listKinds(registry));
  const found = registry.kind(kind);
  if (found === undefined) return formatUnknown('kind', kind, registry.kinds.keys());
  const names = registry.names(kind);
  if (plugin === undefined)
    return formatJson({
      kind,
      summary: found.summary,
      slots: found.slots,
      select: found.select,
      plugins: Object.fromEntries(names.map((name) => [name, registry.plugin(kind, name)?.summary ?? ''])),
    });
  const spec = registry.plugin(kind, plugin);
  if (spec === undefined) return formatUnknown(`plugin of ${kind}`, plugin, names);
  const writer = createSchemaWriter(registry);
  const slots = found.slots.flatMap((slot) => {
    const node = registry.schema(pluginId(spec), slot);
    return node === undefined ? [] : [[slot, writer.ref(node, slot)] as const];
  });
  return formatJson({ kind, plugin, slots: Object.fromEntries(slots), definitions: writer.definitions });
}

const listKinds = (registry: Registry) =>
  [...registry.kinds.values()].map(({ kind, summary, slots }) => ({
    kind,
    summary,
    slots,
    plugins: registry.names(kind),
  }));

const formatJson = (json: unknown): string => JSON.stringify(json, null, 1);

/** With the name that is most similar. */
export function formatUnknown(what: string, name: string, known: Iterable<string>): string {
  const all = [...known];
  const near = findNearest(name, all);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return `There is no ${what} "${name}".${hint} There is: ${all.slice(0, 100).join(', ') || 'none'}.`;
}
