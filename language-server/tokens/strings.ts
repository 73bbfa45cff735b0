/** Tokens inside strings of a definition: SQL, accessors, placeholders, references. */
import type { AccessorText, DocumentQuery, Finds, SqlText } from '../../language/analysis/finds.js';
import type { Definition, ResourceModel } from '../../language/analysis/model.js';
import { inside } from '../../language/analysis/report.js';
import { accessorsIn, type AccessorPart } from '../../language/strings/accessor.js';
import { placeholderOf } from '../../language/strings/placeholder.js';
import { sqlPieces, type SqlRole } from '../../language/strings/sql-names.js';
import type { SymbolKind } from '../../contract/field-meta.js';
import type { Document } from '../../language/source/document.js';
import { stringOffsets } from '../../language/source/escapes.js';
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
export function tokensIn(
  { doc, finds }: Definition,
  resource: ResourceModel | null,
  isShown: (node: Pick<LocatedNode, 'start' | 'end'>) => boolean,
): Token[] {
  return [
    ...finds.statements.filter(({ node }) => isShown(node)).flatMap((one) => ofStatement(doc, one)),
    ...finds.documents.filter(({ around }) => isShown(around)).flatMap(ofDocuments),
    ...finds.accessors.filter(({ node }) => isShown(node)).flatMap((one) => ofAccessors(doc, one)),
    ...ofNames(doc, finds, resource).filter(isShown),
  ];
}

function ofStatement(doc: Document, { node, scan }: SqlText): Token[] {
  const offset = stringOffsets(doc, node);
  return sqlPieces(scan).map(({ role, start, end }) => ({ start: offset(start), end: offset(end), type: ROLES[role] }));
}

export function ofAccessors(doc: Document, { node, parts }: Pick<AccessorText, 'node' | 'parts'>): Token[] {
  const offset = stringOffsets(doc, node);
  return parts.flatMap((part) =>
    piecesOf(part).map(({ start, end, type }) => ({ start: offset(start), end: offset(end), type })),
  );
}

/** Tokens of the root (with its `$`) and of each segment. */
function piecesOf({ root, tail, start }: AccessorPart): Token[] {
  let at = start + 1 + root.length;
  const segments = tail.map((segment): Token => {
    const from = at + 1;
    at = from + segment.length;
    return { start: from, end: at, type: 'property' };
  });
  return [{ start, end: start + 1 + root.length, type: 'macro' }, ...segments];
}

function ofDocuments({ node, joins, around, parameters }: DocumentQuery): Token[] {
  const within = ({ start, end }: LocatedNode, type: TokenType): Token => ({ start: start + 1, end: end - 1, type });
  const visit = (one: LocatedNode): Token[] => {
    if (parameters.includes(one)) return [];
    if (placeholderOf(one.scalar) !== null) return [within(one, 'parameter')];
    return [...one.items, ...one.members.flatMap(({ value }) => value ?? [])].flatMap(visit);
  };
  return [...[node, ...joins].map((name) => within(name, 'class')), ...visit(around)];
}

function ofNames(doc: Document, { declarations, references }: Finds, resource: ResourceModel | null): Token[] {
  const named = ({ start, end }: { readonly start: number; readonly end: number }, symbol: SymbolKind): Token[] => {
    const type = NAMES[symbol];
    return type === undefined || doc.text[start] !== '"' ? [] : [{ start: start + 1, end: end - 1, type }];
  };
  const given = declarations.flatMap(({ spot, symbol, node }) =>
    // Declarations by member name keep the colours of JSON keys.
    node === null ? named(spot, symbol).map((token) => ({ ...token, declares: true })) : [],
  );
  const used = references.flatMap(({ refers, node, name }) => {
    // Accessors have their own tokens.
    if (typeof name === 'string' && accessorsIn(name).length > 0) return [];
    if (refers.soft !== true) return named(node, refers.symbol);
    const action = resource?.actions.find((one) => inside(node, one.node));
    return action?.parameters.get(node.pointer)?.source === 'name' ? named(node, refers.symbol) : [];
  });
  return [...given, ...used];
}
