/** Hover for plugin names and enum members. */
import { blocks } from '../../language/export/markdown.js';
import { pageOfReference } from '../pages.js';
import { inCode, safeMarkdown } from '../safe-markdown.js';
import { pluginMarkdown } from '../words.js';
import { ofToken, type HoverSource } from './source.js';

export const pluginNames: HoverSource = (view, site) => {
  const { cursor, levels } = site;
  const kind = levels.at(-1)?.field?.meta.plugin;
  const name = cursor.token?.text;
  if (cursor.at !== 'value' || kind === undefined || name === undefined) return null;
  return ofToken(site, pluginMarkdown(view.registry, kind, name, pageOfReference(view.project, `kinds/${kind}`, name)));
};

export const enumValues: HoverSource = (_, site) => {
  const { cursor, levels } = site;
  const level = levels.at(-1);
  const text = cursor.token?.text;
  const doc = text === undefined ? undefined : level?.field?.meta.enumDocs?.[text];
  if (cursor.at !== 'value' || text === undefined || doc === undefined) return null;
  return ofToken(site, blocks(`**${inCode(text)}**: ${safeMarkdown(doc)}`, safeMarkdown(level?.field?.meta.doc ?? '')));
};
