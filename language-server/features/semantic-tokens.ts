/** Semantic tokens for the languages inside strings. `tokens/` assigns the types. */
import type { SemanticTokens, SemanticTokensParams, SemanticTokensRangeParams } from 'vscode-languageserver';
import { SemanticTokensBuilder } from '../protocol.js';
import { listAccessors } from '../../language/strings/accessor.js';
import { positionAt, type Document } from '../../language/source/document.js';
import type { LocatedNode } from '../../language/source/tree.js';
import { createDocumentHandler, type Feature } from '../server-context.js';
import { TOKEN_MODIFIERS, TOKEN_TYPES, type Token } from '../tokens/legend.js';
import { tokenizeAccessors, tokenizeDefinition } from '../tokens/strings.js';
import type { DocumentContext } from '../document-context.js';

/** Zero-based lines, both inclusive. */
interface Lines {
  readonly first: number;
  readonly last: number;
}

const ALL: Lines = { first: 0, last: Number.POSITIVE_INFINITY };
const NOTHING: SemanticTokens = { data: [] };

export const semanticTokens: Feature = {
  capabilities: () => ({
    semanticTokensProvider: {
      legend: { tokenTypes: [...TOKEN_TYPES], tokenModifiers: [...TOKEN_MODIFIERS] },
      full: true,
      range: true,
    },
  }),
  attach: (server) => {
    const { semanticTokens: tokens } = server.connection.languages;
    tokens.on(
      createDocumentHandler<SemanticTokensParams, SemanticTokens>(server, NOTHING, (view) => encodeTokens(view, ALL)),
    );
    tokens.onRange(
      createDocumentHandler<SemanticTokensRangeParams, SemanticTokens>(server, NOTHING, (view, { range }) =>
        encodeTokens(view, { first: range.start.line, last: range.end.line }),
      ),
    );
  },
};

interface PositionedToken extends Token {
  readonly line: number;
  readonly character: number;
}

function encodeTokens(view: DocumentContext, lines: Lines): SemanticTokens {
  const found = view.project.isConfig(view.name) ? listConfigTokens(view, lines) : listDefinitionTokens(view, lines);
  found.sort((a, b) => a.line - b.line || a.character - b.character);
  const builder = new SemanticTokensBuilder();
  let end = { line: -1, character: 0 };
  for (const { line, character, start, end: last, type, declares } of found) {
    // Of overlapping tokens, the first wins.
    if (last <= start || (line === end.line && character < end.character)) continue;
    builder.push(line, character, last - start, TOKEN_TYPES.indexOf(type), declares === true ? 1 : 0);
    end = { line, character: character + last - start };
  }
  return builder.build();
}

const listDefinitionTokens = (view: DocumentContext, lines: Lines): PositionedToken[] =>
  view.definitions.flatMap((definition) => {
    const { doc } = definition;
    const resource = view.analysis.resources.find((one) => one.definition === definition) ?? null;
    return addPositions(
      doc,
      tokenizeDefinition(definition, resource, (node) => isShown(doc, node, lines)),
    );
  });

/** The config contains no other names than accessors. */
function listConfigTokens({ tree, doc }: DocumentContext, lines: Lines): PositionedToken[] {
  const visit = (node: LocatedNode): Token[] => {
    const parts = node.type === 'string' && isShown(doc, node, lines) ? listAccessors(String(node.scalar)) : [];
    return [
      ...tokenizeAccessors(doc, { node, parts }),
      ...node.items.flatMap(visit),
      ...node.members.flatMap(({ value }) => (value === null ? [] : visit(value))),
    ];
  };
  return tree.root === null ? [] : addPositions(doc, visit(tree.root));
}

const addPositions = (doc: Document, tokens: readonly Token[]): PositionedToken[] =>
  tokens.map((token) => ({ ...token, ...positionAt(doc, token.start) }));

const isShown = (doc: Document, { start, end }: Pick<LocatedNode, 'start' | 'end'>, { first, last }: Lines): boolean =>
  last === Number.POSITIVE_INFINITY || (positionAt(doc, end).line >= first && positionAt(doc, start).line <= last);
