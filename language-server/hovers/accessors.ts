/** Hover for `$ROOT.tail`: what it reads here, according to the facts of the root's plugin. */
import type { AccessorPart } from '../../language/strings/accessor.js';
import { listAccessors } from '../../language/strings/accessor.js';
import { Slot } from '../../contract/slot.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import { joinBlocks } from '../../language/export/markdown.js';
import type { SymbolKind } from '../../contract/field-meta.js';
import { toFileSpan } from '../json-string.js';
import { findReferencePage } from '../page-urls.js';
import { formatFileLink } from '../location-links.js';
import { toCodeSpan, safeMarkdown } from '../safe-markdown.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { declaredMarkdown } from '../describe-names.js';
import { pluginMarkdown } from '../describe-fields.js';
import { toAnalysedContext, type HoverSource } from './hover-source.js';

export const hoverAccessor: HoverSource = (view, site) => {
  const { inside, cursor } = site;
  if (inside === null || cursor.at !== 'value' || !canContainAccessor(site)) return null;
  const part = listAccessors(inside.text).find(({ start, end }) => start <= inside.offset && inside.offset <= end);
  const kind = view.registry.listKinds(Slot.ACCESSOR)[0];
  const spec = part === undefined ? undefined : view.registry.plugin(kind?.kind ?? '', part.root);
  if (part === undefined || spec === undefined) return null;
  const markdown = joinBlocks(
    describeAccessor(view, site, part, spec),
    `${toCodeSpan(`$${part.root}`)}: ${safeMarkdown(spec.summary)}`,
    formatReferenceLink(findReferencePage(view.project, `kinds/${spec.kind}`, spec.name)),
  );
  return { markdown, ...toFileSpan(view, inside, part.start, part.end) };
};

const formatReferenceLink = (page: string | null): string => (page === null ? '' : `[Reference](<${page}>)`);

/** In the config any string may contain accessors; strings in a query language are excluded. */
const canContainAccessor = ({ sort, levels }: CursorContext): boolean => {
  const field = levels.at(-1)?.field;
  return sort === 'config' || field?.meta.language === undefined;
};

function describeAccessor(
  view: DocumentContext,
  site: CursorContext,
  { root, tail }: AccessorPart,
  { facts }: PluginSpec,
): string {
  const [sort = '', of = ''] = (facts?.tail ?? 'none').split(':');
  const [first] = tail;
  if (first === undefined) return '';
  if (sort === 'env') return describeVariable(view, first);
  if (sort === 'plugin') return pluginMarkdown(view.registry, of, first);
  const analysed = toAnalysedContext(view, site);
  const resource = view.analysis.resources.find(({ definition }) => definition === analysed.definition);
  const path = tail.join('.');
  if (sort === 'declared')
    return resource === undefined ? '' : declaredMarkdown(view, resource, of as SymbolKind, path);
  if (facts?.reads !== 'payload' || resource === undefined) return '';
  for (const symbol of ['name', 'generated', 'payload-field'] as const) {
    const declared = declaredMarkdown(view, resource, symbol, path);
    if (declared !== '') return declared;
  }
  return `**${toCodeSpan(path)}** of ${toCodeSpan(`$${root}`)}: no rule declares it`;
}

/** Shows whether the variable is set and where it is declared, never its value. */
function describeVariable({ project }: DocumentContext, name: string): string {
  const places = project.envNames.findLocations(name);
  const written = places.map(({ file, line }) => formatFileLink(file, project.toRelativeName(file), line + 1));
  return joinBlocks(
    `**${toCodeSpan(name)}**: environment variable, ${project.env.has(name) ? 'set' : '**not set**'}`,
    written.length === 0 ? 'Not in `.env.example`.' : `At ${written.join(', ')}`,
  );
}
