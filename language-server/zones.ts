/** The time zone of a schedule: the sibling field, else an option of the config, else UTC. */
import { asText } from '../contract/json.js';
import type { PluginSpec } from '../contract/plugin-spec.js';
import type { Registry } from '../language/analysis/registry.js';
import { isZone } from '../language/strings/zone.js';
import type { FieldNode } from '../language/schema/field-node.js';
import { foldSchema } from '../language/schema/fold.js';
import { findMember } from '../language/source/tree.js';
import type { CursorContext, DocumentContext } from './document-context.js';

/** Returns a valid IANA time zone name. */
export function zoneAt(view: DocumentContext, { levels }: CursorContext): string {
  const around = levels.at(-2);
  const beside = zoneField([...(around?.expansion?.fields ?? [])].map(([name, { field }]) => [name, field]));
  const written = beside === null || !around?.node ? '' : asText(findMember(around.node, beside[0])?.value?.scalar);
  return [written, ...listConfiguredZones(view), 'UTC'].find((zone) => zone !== '' && isZone(zone)) ?? 'UTC';
}

function listConfiguredZones({ registry, project }: DocumentContext): string[] {
  return project.config.chosen.flatMap(({ kind, name, options }) => {
    const spec = registry.plugin(kind, name);
    const found = spec === undefined ? null : zoneField(listOptionFields(registry, spec));
    if (found === null) return [];
    const [option, field] = found;
    return [asText(options[option]) || asText(field.meta.default)];
  });
}

function listOptionFields(registry: Registry, spec: PluginSpec): [string, FieldNode][] {
  const kind = registry.kind(spec.kind);
  const schemas = kind?.slots.flatMap((slot) => registry.schema(`${spec.kind}:${spec.name}`, slot) ?? []) ?? [];
  const common = kind?.common === undefined ? [] : [foldSchema(kind.common, kind.kind)];
  return [...schemas, ...common].flatMap(({ fields }) => Object.entries(fields));
}

const zoneField = (fields: readonly (readonly [string, FieldNode])[]): readonly [string, FieldNode] | null =>
  fields.find(([, { meta }]) => meta.language === 'zone') ?? null;
