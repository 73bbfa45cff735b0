/** Describes names of values (payload fields, results, claims, generated values) with their origin and uses. */
import type { Declaration } from '../language/analysis/facts.js';
import type { NamedSymbol, Occurrence, SymbolSort } from '../language/analysis/symbols.js';
import { getClaimGroups } from '../language/analysis/symbols/claims.js';
import { isInside } from '../language/analysis/report.js';
import type { ResourceModel } from '../language/analysis/model.js';
import { joinBlocks } from '../language/export/markdown.js';
import { listPathParameters } from '../language/strings/route.js';
import type { SymbolKind } from '../contract/field-meta.js';
import type { LocatedNode } from '../language/source/tree.js';
import { getSymbolIndex, findSymbolLocations, type SymbolLocation } from './navigation/symbol-locations.js';
import { formatFileLink, formatLocationLink } from './location-links.js';
import { toCodeSpan } from './safe-markdown.js';
import { toRedactedJson } from './redacted-json.js';
import type { DocumentContext } from './document-context.js';
import { findDeclaration, ruleMarkdown, resolveRule } from './describe-rules.js';

/** Maximum length of quoted definitions. */
const LONGEST = 200;
/** Maximum number of listed locations. */
const MANY = 6;

const SORTS: Partial<Readonly<Record<SymbolKind, string>>> = {
  name: 'a value of a result',
  generated: 'made once for each request',
  claim: 'a claim of the token',
};

/** Empty if the name is not declared. */
export function declaredMarkdown(
  view: DocumentContext,
  resource: ResourceModel,
  symbol: SymbolKind,
  path: string,
): string {
  const [first = path] = path.split('.');
  const declaration = findDeclaration(resource, symbol, path);
  if (declaration !== undefined) return declarationMarkdown(view, resource, declaration, path);
  if (symbol !== 'payload-field' || !listPathParameters(resource.path).includes(first)) return '';
  return joinBlocks(
    `**${toCodeSpan(path)}** of the payload: a part of the path ${toCodeSpan(`/${resource.path}`)}`,
    formatLocationLink(view.project, resource.definition.doc, resource.definition.node.start),
  );
}

export function declarationMarkdown(
  view: DocumentContext,
  resource: ResourceModel,
  declaration: Declaration,
  path = declaration.name,
): string {
  const { symbol, spot } = declaration;
  const where = formatLocationLink(view.project, spot.doc, spot.start);
  if (symbol === 'payload-field') {
    const rule = ruleMarkdown(view.registry, resolveRule(resource, declaration, path));
    return joinBlocks(
      `**${toCodeSpan(path)}** of the payload${rule === '' ? '' : `: ${rule}`}`,
      `Rule at ${where}`,
      formatUses(view, resource, symbol, path),
    );
  }
  const around = findObjectAround(resource.definition.node, spot.start);
  const written = around === null ? '' : JSON.stringify(toRedactedJson(view.registry, resource.definition, around));
  const action = resource.actions.find(({ node }) => isInside(spot, node));
  return joinBlocks(
    `**${toCodeSpan(path)}**: ${SORTS[symbol] ?? symbol}`,
    written === '' || written.length > LONGEST
      ? ''
      : `As written${action === undefined ? '' : ` in ${toCodeSpan(action.key)}`}: ${toCodeSpan(written)}`,
    where,
    formatUses(view, resource, symbol, declaration.name),
  );
}

const INDEXED: Partial<Readonly<Record<SymbolKind, SymbolSort>>> = {
  'payload-field': 'payload',
  name: 'name',
  generated: 'generated',
  claim: 'claim',
};

/** Lists the uses of a name, each line of a file once. */
function formatUses(view: DocumentContext, { definition }: ResourceModel, symbol: SymbolKind, path: string): string {
  const sort = INDEXED[symbol];
  // Numeric segments are removed, because items of a list share a declaration.
  const name = path.replace(/\.\d+(?=\.|$)/g, '');
  const within = String(view.analysis.definitions.indexOf(definition));
  const id =
    sort === 'claim'
      ? getClaimGroups(view.analysis, view.registry).getId(within, name)
      : sort && { sort, within, name };
  const found = id && getSymbolIndex(view.project).get(id);
  if (found === undefined) return '';
  if (sort !== 'claim') return formatPlaces(view, found, 'use', 'Used at');
  // The same claim is read by other resources, too.
  const isHere = ({ file }: SymbolLocation): boolean => view.project.toRelativeName(file) === definition.doc.file;
  const isIssued = ({ form }: SymbolLocation): boolean => form === 'issued';
  return joinBlocks(
    formatPlaces(view, found, 'declaration', 'Issued at', isIssued),
    formatPlaces(view, found, 'use', 'Used at', isHere),
  );
}

/** Links to the places of a symbol, each line of a file once. */
export function formatPlaces(
  view: DocumentContext,
  symbol: NamedSymbol,
  wanted: Occurrence['role'],
  title: string,
  isShown: (place: SymbolLocation) => boolean = () => true,
): string {
  const uses = findSymbolLocations(view.project, symbol)
    .filter((place) => place.role === wanted && isShown(place))
    .sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.range.start.line - b.range.start.line));
  const links = uses.map(({ file, range }) =>
    formatFileLink(file, view.project.toRelativeName(file), range.start.line + 1),
  );
  const places = [...new Set(links)];
  if (places.length === 0) return '';
  const more = places.length > MANY ? ` and ${places.length - MANY} more` : '';
  return `${title} ${places.slice(0, MANY).join(', ')}${more}`;
}

function findObjectAround(node: LocatedNode, at: number): LocatedNode | null {
  const children = [...node.items, ...node.members.flatMap(({ value }) => value ?? [])];
  const next = children.find(({ start, end }) => start <= at && at < end);
  const inner = next === undefined ? null : findObjectAround(next, at);
  return inner ?? (node.type === 'object' ? node : null);
}
