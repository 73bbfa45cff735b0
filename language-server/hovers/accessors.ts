/** Hover for `$ROOT.tail`: what it reads here, according to the facts of the root's plugin. */
import type { AccessorPart } from '../../language/strings/accessor.js';
import { accessorsIn } from '../../language/strings/accessor.js';
import { Slot } from '../../contract/slot.js';
import type { PluginSpec } from '../../contract/plugin.js';
import { blocks } from '../../language/export/markdown.js';
import type { SymbolKind } from '../../contract/field-meta.js';
import { spanInside } from '../inside.js';
import { pageOfReference } from '../pages.js';
import { fileLink } from '../place-words.js';
import { inCode, safeMarkdown } from '../safe-markdown.js';
import type { Site, View } from '../view.js';
import { declaredMarkdown } from '../words-names.js';
import { pluginMarkdown } from '../words.js';
import { analysedSite, type HoverSource } from './source.js';

export const accessors: HoverSource = (view, site) => {
  const { inside, cursor } = site;
  if (inside === null || cursor.at !== 'value' || !mayRead(site)) return null;
  const part = accessorsIn(inside.text).find(({ start, end }) => start <= inside.offset && inside.offset <= end);
  const kind = view.registry.kindsIn(Slot.ACCESSOR)[0];
  const spec = part === undefined ? undefined : view.registry.plugin(kind?.kind ?? '', part.root);
  if (part === undefined || spec === undefined) return null;
  const markdown = blocks(
    meaningOf(view, site, part, spec),
    `${inCode(`$${part.root}`)}: ${safeMarkdown(spec.summary)}`,
    linkTo(pageOfReference(view.project, `kinds/${spec.kind}`, spec.name)),
  );
  return { markdown, ...spanInside(view, inside, part.start, part.end) };
};

const linkTo = (page: string | null): string => (page === null ? '' : `[Reference](<${page}>)`);

/** In the config any string may contain accessors; strings in a query language are excluded. */
const mayRead = ({ sort, levels }: Site): boolean => {
  const field = levels.at(-1)?.field;
  return sort === 'config' || field?.meta.language === undefined;
};

function meaningOf(view: View, site: Site, { root, tail }: AccessorPart, { facts }: PluginSpec): string {
  const [sort = '', of = ''] = String(facts?.['tail'] ?? 'none').split(':');
  const [first] = tail;
  if (first === undefined) return '';
  if (sort === 'env') return variableWords(view, first);
  if (sort === 'plugin') return pluginMarkdown(view.registry, of, first);
  const analysed = analysedSite(view, site);
  const resource = view.analysis.resources.find(({ definition }) => definition === analysed.definition);
  const path = tail.join('.');
  if (sort === 'declared')
    return resource === undefined ? '' : declaredMarkdown(view, resource, of as SymbolKind, path);
  if (facts?.['reads'] !== 'payload' || resource === undefined) return '';
  for (const symbol of ['name', 'generated', 'payload-field'] as const) {
    const said = declaredMarkdown(view, resource, symbol, path);
    if (said !== '') return said;
  }
  return `**${inCode(path)}** of ${inCode(`$${root}`)}: no rule declares it`;
}

/** Shows whether the variable is set and where it is declared, never its value. */
function variableWords({ project }: View, name: string): string {
  const places = project.envNames.placesOf(name);
  const written = places.map(({ file, line }) => fileLink(file, project.shown(file), line + 1));
  return blocks(
    `**${inCode(name)}**: environment variable, ${project.env.has(name) ? 'set' : '**not set**'}`,
    written.length === 0 ? 'Not in `.env.example`.' : `At ${written.join(', ')}`,
  );
}
