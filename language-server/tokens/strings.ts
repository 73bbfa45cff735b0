/** Tokens inside strings of a definition: SQL, accessors, placeholders, references. */
import type { AccessorText, DocumentQuery, WalkResult, SqlText } from '../../language/analysis/facts.js';
import type { Definition, ResourceModel } from '../../language/analysis/model.js';
import { isInside } from '../../language/analysis/report.js';
import { listAccessors, type AccessorPart } from '../../language/strings/accessor.js';
import { parsePlaceholder } from '../../language/strings/placeholder.js';
import { classifyTokens, type SqlRole } from '../../plugins/queries/sql/text/names.js';
import type { SymbolKind } from '../../contract/field-meta.js';
import type { Document } from '../../language/source/document.js';
import { createOffsetMap } from '../../language/source/escapes.js';
import type { LocatedNode } from '../../language/source/tree.js';
import type { Token, TokenType } from './legend.js';

const ROLES: Readonly<Record<SqlRole, TokenType>> = {
  keyword: 'keyword',
  table: 'class',
  source: 'variable',
  column: 'property',
  function: 'function',
  type: 'type',
  placeholder: 'parameter',
  string: 'string',
  number: 'number',
  comment: 'comment',
  operator: 'operator',
};

/** Token type by kind of name; names without a type keep the colours of JSON. */
const NAMES: Readonly<Partial<Record<SymbolKind, TokenType>>> = {
  resource: 'namespace',
  model: 'class',
  'model-field': 'property',
  'payload-field': 'parameter',
  name: 'parameter',
  generated: 'parameter',
  claim: 'parameter',
};

/** `isShown`: whether a node is in the requested range. */
export function tokenizeDefinition(
  { doc, finds }: Definition,
  resource: ResourceModel | null,
  isShown: (node: Pick<LocatedNode, 'start' | 'end'>) => boolean,
): Token[] {
  return [
    ...finds.statements.filter(({ node }) => isShown(node)).flatMap((one) => tokenizeStatement(doc, one)),
    ...finds.documents.filter(({ around }) => isShown(around)).flatMap(tokenizeDocumentQuery),
    ...finds.accessors.filter(({ node }) => isShown(node)).flatMap((one) => tokenizeAccessors(doc, one)),
    ...tokenizeNames(doc, finds, resource).filter(isShown),
  ];
}

function tokenizeStatement(doc: Document, { node, scan }: SqlText): Token[] {
  const offset = createOffsetMap(doc, node);
  return classifyTokens(scan).map(({ role, start, end }) => ({
    start: offset(start),
    end: offset(end),
    type: ROLES[role],
  }));
}

export function tokenizeAccessors(doc: Document, { node, parts }: Pick<AccessorText, 'node' | 'parts'>): Token[] {
  const offset = createOffsetMap(doc, node);
  return parts.flatMap((part) =>
    tokenizeAccessor(part).map(({ start, end, type }) => ({ start: offset(start), end: offset(end), type })),
  );
}

/** Tokens of the root (with its `$`) and of each segment. */
function tokenizeAccessor({ root, tail, start }: AccessorPart): Token[] {
  let at = start + 1 + root.length;
  const segments = tail.map((segment): Token => {
    const from = at + 1;
    at = from + segment.length;
    return { start: from, end: at, type: 'property' };
  });
  return [{ start, end: start + 1 + root.length, type: 'macro' }, ...segments];
}

function tokenizeDocumentQuery({ node, joins, around, parameters }: DocumentQuery): Token[] {
  const createInnerToken = ({ start, end }: LocatedNode, type: TokenType): Token => ({
    start: start + 1,
    end: end - 1,
    type,
  });
  const visit = (one: LocatedNode): Token[] => {
    if (parameters.includes(one)) return [];
    if (parsePlaceholder(one.scalar) !== null) return [createInnerToken(one, 'parameter')];
    return [...one.items, ...one.members.flatMap(({ value }) => value ?? [])].flatMap(visit);
  };
  return [...[node, ...joins].map((name) => createInnerToken(name, 'class')), ...visit(around)];
}

function tokenizeNames(
  doc: Document,
  { declarations, references }: WalkResult,
  resource: ResourceModel | null,
): Token[] {
  const createNameToken = (
    { start, end }: { readonly start: number; readonly end: number },
    symbol: SymbolKind,
  ): Token[] => {
    const type = NAMES[symbol];
    return type === undefined || doc.text[start] !== '"' ? [] : [{ start: start + 1, end: end - 1, type }];
  };
  const given = declarations.flatMap(({ spot, symbol, node }) =>
    // Declarations by member name keep the colours of JSON keys.
    node === null ? createNameToken(spot, symbol).map((token) => ({ ...token, declares: true })) : [],
  );
  const used = references.flatMap(({ refers, node, name }) => {
    // Accessors have their own tokens.
    if (typeof name === 'string' && listAccessors(name).length > 0) return [];
    if (refers.soft !== true) return createNameToken(node, refers.symbol);
    const action = resource?.actions.find((one) => isInside(node, one.node));
    return action?.parameters.get(node.pointer)?.source === 'name' ? createNameToken(node, refers.symbol) : [];
  });
  return [...given, ...used];
}
