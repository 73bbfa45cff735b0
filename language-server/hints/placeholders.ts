/** Inlay hints after placeholders with the bound value. */
import type { InlayHint, Position, Range } from 'vscode-languageserver';
import type { DocumentQuery, SqlText } from '../../language/analysis/facts.js';
import type { Definition } from '../../language/analysis/model.js';
import { parsePlaceholder } from '../../language/strings/placeholder.js';
import { positionAt } from '../../language/source/document.js';
import { createOffsetMap } from '../../language/source/escapes.js';
import type { LocatedNode } from '../../language/source/tree.js';
import type { InlayHintSource } from './hint-source.js';
import { formatParameter } from '../queries/parameters.js';
import { resolveOwners } from '../queries/query-context.js';
import type { DocumentContext } from '../document-context.js';

export const createPlaceholderHints: InlayHintSource = (view, range) =>
  view.definitions.flatMap((definition) => {
    const { doc, finds } = definition;
    const isShown = ({ start, end }: LocatedNode): boolean =>
      positionAt(doc, end).line >= range.start.line && positionAt(doc, start).line <= range.end.line;
    return [
      ...finds.statements
        .filter(({ node }) => isShown(node))
        .flatMap((one) => createStatementHints(view, definition, one)),
      ...finds.documents
        .filter(({ around }) => isShown(around))
        .flatMap((one) => createDocumentHints(view, definition, one)),
    ].filter(({ position }) => isWithin(range, position));
  });

const isWithin = ({ start, end }: Range, { line, character }: Position): boolean =>
  (line > start.line || (line === start.line && character >= start.character)) &&
  (line < end.line || (line === end.line && character <= end.character));

function createStatementHints(
  view: DocumentContext,
  definition: Definition,
  { scan, node, parameters, around }: SqlText,
): InlayHint[] {
  if (scan.placeholders.length === 0 || parameters.length === 0) return [];
  const { doc } = definition;
  const { action } = resolveOwners(view, definition, around);
  const offset = createOffsetMap(doc, node);
  return scan.placeholders.flatMap(({ n, end }) => {
    const value = parameters[n - 1];
    return value === undefined ? [] : [createHint(positionAt(doc, offset(end)), formatParameter(value, { action }))];
  });
}

function createDocumentHints(view: DocumentContext, definition: Definition, query: DocumentQuery): InlayHint[] {
  const { parameters, around } = query;
  if (parameters.length === 0) return [];
  const { doc } = definition;
  const { action } = resolveOwners(view, definition, around);
  const visit = (node: LocatedNode): InlayHint[] => {
    // Entries of the parameter list are values, even if they look like placeholders.
    if (parameters.includes(node)) return [];
    const value = parameters[(parsePlaceholder(node.scalar) ?? 0) - 1];
    const own = value === undefined ? [] : [createHint(positionAt(doc, node.end), formatParameter(value, { action }))];
    const inner = [...node.items, ...node.members.flatMap((member) => member.value ?? [])];
    return [...own, ...inner.flatMap(visit)];
  };
  return visit(around);
}

const createHint = (position: Position, short: string): InlayHint => ({
  position,
  label: `= ${short}`,
  kind: 2,
  paddingLeft: true,
});
