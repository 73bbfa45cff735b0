/** Hover for plugin names and enum members. */
import { joinBlocks } from '../../language/export/markdown.js';
import { findReferencePage } from '../page-urls.js';
import { toCodeSpan, safeMarkdown } from '../safe-markdown.js';
import { pluginMarkdown } from '../describe-fields.js';
import { createTokenHover, type HoverSource } from './hover-source.js';

export const hoverPluginName: HoverSource = (view, site) => {
  const { cursor, levels } = site;
  const kind = levels.at(-1)?.field?.meta.plugin;
  const name = cursor.token?.text;
  if (cursor.at !== 'value' || kind === undefined || name === undefined) return null;
  return createTokenHover(
    site,
    pluginMarkdown(view.registry, kind, name, findReferencePage(view.project, `kinds/${kind}`, name)),
  );
};

export const hoverEnumValue: HoverSource = (_, site) => {
  const { cursor, levels } = site;
  const level = levels.at(-1);
  const text = cursor.token?.text;
  const doc = text === undefined ? undefined : level?.field?.meta.enumDocs?.[text];
  if (cursor.at !== 'value' || text === undefined || doc === undefined) return null;
  return createTokenHover(
    site,
    joinBlocks(`**${toCodeSpan(text)}**: ${safeMarkdown(doc)}`, safeMarkdown(level?.field?.meta.doc ?? '')),
  );
};
