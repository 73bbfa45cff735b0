/** All name sources, by the name that fields use in `refers`, `complete`, or accessor facts. An unknown source offers nothing. */
import type { PluginFacts } from '../../../contract/facts.js';
import type { FieldNode } from '../../../language/schema/field-node.js';
import { findMember } from '../../../language/source/tree.js';
import { getSharedKind } from '../../../language/analysis/shared-names.js';
import type { FieldMeta, Refers, SymbolKind } from '../../../contract/field-meta.js';
import type { CursorContext, DocumentContext } from '../../document-context.js';
import { suggestActions, suggestResultNames } from './actions.js';
import { suggestMediaTypes, suggestSchedules, suggestZones } from './constant-names.js';
import {
  suggestClaims,
  suggestDeclared,
  missingNames,
  suggestPayloadFields,
  suggestReadClaims,
  suggestValueNames,
} from './definition-names.js';
import { suggestShared } from './shared-names.js';
import { createNameSourceInput, uniqueNames, type Name, type NameSource } from './name-source.js';
import {
  suggestConnections,
  suggestEnvNames,
  suggestGlobs,
  suggestHeaderNames,
  suggestModelFields,
  suggestModels,
  suggestPluginIds,
  suggestResources,
} from './project.js';

const SYMBOLS: Readonly<Record<SymbolKind, NameSource>> = {
  resource: suggestResources,
  action: suggestActions,
  model: suggestModels,
  'model-field': suggestModelFields,
  'payload-field': suggestPayloadFields,
  name: suggestValueNames,
  generated: suggestDeclared('generated'),
  claim: suggestClaims,
  'issued-claim': suggestReadClaims,
  'cache-key': suggestShared('cache-key'),
  room: suggestShared('room'),
  event: suggestShared('event'),
  secret: suggestDeclared('secret'),
  value: suggestResultNames,
};

export const NAME_SOURCES: Readonly<Record<string, NameSource>> = {
  ...SYMBOLS,
  connection: suggestConnections,
  'header-name': suggestHeaderNames,
  'env-name': suggestEnvNames,
  'media-type': suggestMediaTypes,
  glob: suggestGlobs,
  'plugin-id': suggestPluginIds,
};

const BY_LANGUAGE: Readonly<Partial<Record<NonNullable<FieldMeta['language']>, NameSource>>> = {
  collection: suggestModels,
  cron: suggestSchedules,
  zone: suggestZones,
};

export function namesFor(view: DocumentContext, site: CursorContext, { meta }: FieldNode): Name[] {
  const { refers, complete, declares, language } = meta;
  const isReference = refers !== undefined && isReferenceHere(site, refers);
  const shared = getSharedKind({ meta });
  const querySource = (source: string, of?: string): readonly Name[] =>
    NAME_SOURCES[source]?.(createNameSourceInput(view, site, { of, within: refers?.within })) ?? [];
  return uniqueNames([
    ...(isReference ? querySource(refers.symbol) : []),
    ...(isReference && refers.named === true ? querySource('name') : []),
    ...(shared === null || declares !== shared ? [] : querySource(shared)),
    ...(declares === 'issued-claim' ? querySource(declares) : []),
    ...(complete === undefined || isReference ? [] : querySource(complete.source, complete.of)),
    ...(language === undefined ? [] : (BY_LANGUAGE[language]?.(createNameSourceInput(view, site)) ?? [])),
    ...(declares === undefined ? [] : missingNames(createNameSourceInput(view, site), declares)),
    ...(declares === 'claim' ? querySource('claim') : []),
  ]);
}

/** Null siblings are not written yet. */
function isReferenceHere({ levels }: CursorContext, { when }: Refers): boolean {
  const around = levels.slice(0, -1).findLast(({ node }) => node?.type === 'object')?.node;
  return when === undefined || !around || findMember(around, when.field)?.value?.scalar === when.is;
}

export function keysFor(view: DocumentContext, site: CursorContext, { meta }: FieldNode): Name[] {
  const { complete, declares } = meta;
  return uniqueNames([
    ...(complete === undefined
      ? []
      : (NAME_SOURCES[complete.source]?.(createNameSourceInput(view, site, { of: complete.of })) ?? [])),
    ...(declares === undefined ? [] : missingNames(createNameSourceInput(view, site), declares)),
  ]);
}

/** `path`: the segments already typed. */
export function tailNames(
  view: DocumentContext,
  site: CursorContext,
  facts: PluginFacts,
  path: readonly string[],
): Name[] {
  const tail = facts.tail ?? 'none';
  const offered = facts.offers ?? [];
  const own = path.length === 0 ? offered.map((name) => ({ name })) : [];
  const querySource = (source: string): readonly Name[] =>
    NAME_SOURCES[source]?.(createNameSourceInput(view, site, { path })) ?? [];
  if (tail === 'none') return [];
  if (tail.startsWith('plugin:')) {
    if (path.length > 0) return own;
    const kind = tail.slice('plugin:'.length);
    const getSummary = (name: string) => view.registry.plugin(kind, name)?.summary;
    return uniqueNames([...own, ...view.registry.names(kind).map((name) => ({ name, doc: getSummary(name) }))]);
  }
  if (tail.startsWith('declared:') && path.length === 0) {
    const symbol = tail.slice('declared:'.length) as SymbolKind;
    return uniqueNames([...own, ...suggestDeclared(symbol)(createNameSourceInput(view, site))]);
  }
  if (tail === 'env') return path.length === 0 ? uniqueNames([...own, ...querySource('env-name')]) : [];
  if (facts.reads === 'payload') {
    const made = path.length === 0 ? [...querySource('name')] : [];
    const isClaim = new Set(suggestDeclared('claim')(createNameSourceInput(view, site)).map(({ name }) => name));
    return uniqueNames([...own, ...querySource('payload-field'), ...made.filter(({ name }) => !isClaim.has(name))]);
  }
  if (facts.reads === 'headers') return path.length === 0 ? uniqueNames([...own, ...querySource('header-name')]) : [];
  return own;
}
