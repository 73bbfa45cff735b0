/** Hover for field names, and for values without a more specific hover. */
import type { PluginId } from '../../contract/plugin.js';
import type { Level } from '../../language/analysis/levels.js';
import { joinBlocks } from '../../language/export/markdown.js';
import { formatLargerUnits, formatWithUnit } from '../../language/strings/format-quantity.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import { findReferencePage } from '../page-urls.js';
import { safeMarkdown } from '../safe-markdown.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { fieldMarkdown } from '../describe-fields.js';
import { createTokenHover, type HoverSource } from './hover-source.js';

export const hoverFieldName: HoverSource = (view, site) => {
  const { cursor, levels } = site;
  const name = cursor.token?.text;
  if (cursor.at !== 'key' || name === undefined) return null;
  const owned = levels.at(-1)?.expansion?.fields.get(name);
  if (owned === undefined) return null;
  const page = findPage(view, site, levels.length - 1, name, owned.plugin);
  const { registry } = view;
  return createTokenHover(
    site,
    joinBlocks(fieldMarkdown(registry, name, owned.field, page), describeSelectedPlugin(view, name, owned.plugin)),
  );
};

/** Adds the plugin's documentation to a field that selects it by key. */
function describeSelectedPlugin({ registry }: DocumentContext, name: string, owner: PluginId | null): string {
  const spec = owner === null ? undefined : registry.plugins.get(owner);
  if (spec?.name !== name) return '';
  const details = spec.details === undefined ? '' : safeMarkdown(spec.details);
  return joinBlocks('---', safeMarkdown(spec.summary), details);
}

/** A value without its own documentation shows that of its field; a number first in larger units. */
export const hoverFieldValue: HoverSource = (view, site) => {
  const { cursor, levels } = site;
  const at = levels.findLastIndex(({ key }) => typeof key === 'string');
  const [level, last] = [levels[at], levels.at(-1)];
  if (cursor.at !== 'value' || cursor.token === null || level === undefined || last === undefined) return null;
  const name = String(level.key);
  const owned = levels[at - 1]?.expansion?.fields.get(name);
  const field = selectDocumented(owned?.field) ?? selectDocumented(level.field);
  // Embedded languages provide hovers for each token.
  if (field === null || (site.inside !== null && last.field?.meta.language === 'sql')) return null;
  const page = findPage(view, site, at - 1, name, owned?.plugin ?? null);
  return createTokenHover(
    site,
    joinBlocks(formatQuantity(last, field), fieldMarkdown(view.registry, name, field, page)),
  );
};

const selectDocumented = (field: FieldNode | null | undefined): FieldNode | null => (field?.meta.doc ? field : null);

/** E.g. `86400 seconds: 1 day`. */
function formatQuantity({ node, field }: Level, named: FieldNode): string {
  const unit = field?.meta.unit ?? named.meta.unit;
  if (node?.type !== 'number' || unit === undefined) return '';
  const value = Number(node.scalar);
  const words = formatLargerUnits(value, unit);
  return words === null ? '' : safeMarkdown(`${formatWithUnit(value, unit)}: ${words}`);
}

/** The page of the field's plugin, of its kind, or of the enclosing plugin. */
function findPage(
  { project, registry }: DocumentContext,
  { sort, levels }: CursorContext,
  index: number,
  name: string,
  owner: PluginId | null,
) {
  const object = levels[index]?.field;
  const common =
    object?.fields[name] === undefined ? object?.parts.flatMap((slot) => registry.listKinds(slot))[0] : undefined;
  const around =
    owner ??
    (common === undefined ? levels.slice(0, index + 1).findLast((level) => level.owner !== null)?.owner : null);
  if (around !== null && around !== undefined) {
    const [kind = '', plugin = ''] = around.split(':');
    return findReferencePage(project, `kinds/${kind}`, plugin);
  }
  if (common !== undefined) return findReferencePage(project, `kinds/${common.kind}`);
  return findReferencePage(project, sort === 'config' ? 'config' : 'grammar');
}
