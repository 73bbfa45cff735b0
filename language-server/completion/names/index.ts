/** All name sources, by the name that fields use in `refers`, `complete`, or accessor facts. An unknown source offers nothing. */
import type { FieldNode } from '../../../language/schema/field-node.js';
import type { FieldMeta, SymbolKind } from '../../../contract/field-meta.js';
import type { Site, View } from '../../view.js';
import { actions, resultNames } from './actions.js';
import { mediaTypes, schedules, zones } from './fixed.js';
import { claims, declaredHere, missingNames, payloadFields, valueNames } from './own.js';
import { namePlace, uniqueNames, type Name, type NameSource } from './place.js';
import { connections, envNames, globs, headerNames, modelFields, models, pluginIds, resources } from './project.js';

const SYMBOLS: Readonly<Record<SymbolKind, NameSource>> = {
  resource: resources,
  action: actions,
  model: models,
  'model-field': modelFields,
  'payload-field': payloadFields,
  name: valueNames,
  generated: declaredHere('generated'),
  claim: claims,
  secret: declaredHere('secret'),
  value: resultNames,
};

export const NAME_SOURCES: Readonly<Record<string, NameSource>> = {
  ...SYMBOLS,
  connection: connections,
  'header-name': headerNames,
  'env-name': envNames,
  'media-type': mediaTypes,
  glob: globs,
  'plugin-id': pluginIds,
};

/** Names for a whole string in a language. */
const BY_LANGUAGE: Readonly<Partial<Record<NonNullable<FieldMeta['language']>, NameSource>>> = {
  collection: models,
  cron: schedules,
  zone: zones,
};

export function namesFor(view: View, site: Site, { meta }: FieldNode): Name[] {
  const { refers, complete, declares, language } = meta;
  const asked = (source: string, of?: string): readonly Name[] =>
    NAME_SOURCES[source]?.(namePlace(view, site, { of, within: refers?.within })) ?? [];
  return uniqueNames([
    ...(refers === undefined ? [] : asked(refers.symbol)),
    ...(refers?.named === true ? asked('name') : []),
    ...(complete === undefined ? [] : asked(complete.source, complete.of)),
    ...(language === undefined ? [] : (BY_LANGUAGE[language]?.(namePlace(view, site)) ?? [])),
    ...(declares === undefined ? [] : missingNames(namePlace(view, site), declares)),
    ...(declares === 'claim' ? asked('claim') : []),
  ]);
}

export function keysFor(view: View, site: Site, { meta }: FieldNode): Name[] {
  const { complete, declares } = meta;
  return uniqueNames([
    ...(complete === undefined
      ? []
      : (NAME_SOURCES[complete.source]?.(namePlace(view, site, { of: complete.of })) ?? [])),
    ...(declares === undefined ? [] : missingNames(namePlace(view, site), declares)),
  ]);
}

/** `path`: the segments already typed. */
export function tailNames(
  view: View,
  site: Site,
  facts: Readonly<Record<string, unknown>>,
  path: readonly string[],
): Name[] {
  const tail = typeof facts['tail'] === 'string' ? facts['tail'] : 'none';
  const offered = Array.isArray(facts['offers']) ? (facts['offers'] as readonly string[]) : [];
  const own = path.length === 0 ? offered.map((name) => ({ name })) : [];
  const asked = (source: string): readonly Name[] => NAME_SOURCES[source]?.(namePlace(view, site, { path })) ?? [];
  if (tail === 'none') return [];
  if (tail.startsWith('plugin:')) {
    if (path.length > 0) return own;
    const kind = tail.slice('plugin:'.length);
    const words = (name: string) => view.registry.plugin(kind, name)?.summary;
    return uniqueNames([...own, ...view.registry.names(kind).map((name) => ({ name, doc: words(name) }))]);
  }
  if (tail.startsWith('declared:') && path.length === 0) {
    const symbol = tail.slice('declared:'.length) as SymbolKind;
    return uniqueNames([...own, ...declaredHere(symbol)(namePlace(view, site))]);
  }
  if (tail === 'env') return path.length === 0 ? uniqueNames([...own, ...asked('env-name')]) : [];
  if (facts['reads'] === 'payload') {
    const made = path.length === 0 ? [...asked('name')] : [];
    const isClaim = new Set(declaredHere('claim')(namePlace(view, site)).map(({ name }) => name));
    return uniqueNames([...own, ...asked('payload-field'), ...made.filter(({ name }) => !isClaim.has(name))]);
  }
  if (facts['reads'] === 'headers') return path.length === 0 ? uniqueNames([...own, ...asked('header-name')]) : [];
  return own;
}
