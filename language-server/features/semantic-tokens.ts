/** Semantic tokens for the languages inside strings. `tokens/` assigns the types. */
import type { SemanticTokens, SemanticTokensParams, SemanticTokensRangeParams } from 'vscode-languageserver';
import { SemanticTokensBuilder } from '../protocol.js';
import { accessorsIn } from '../../language/strings/accessor.js';
import { positionAt, type Document } from '../../language/source/document.js';
import type { LocatedNode } from '../../language/source/tree.js';
import { answering, type Feature } from '../desk.js';
import { TOKEN_MODIFIERS, TOKEN_TYPES, type Token } from '../tokens/legend.js';
import { ofAccessors, tokensIn } from '../tokens/strings.js';
import type { View } from '../view.js';

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
  attach: (desk) => {
    const { semanticTokens: tokens } = desk.connection.languages;
    tokens.on(answering<SemanticTokensParams, SemanticTokens>(desk, NOTHING, (view) => encoded(view, ALL)));
    tokens.onRange(
      answering<SemanticTokensRangeParams, SemanticTokens>(desk, NOTHING, (view, { range }) =>
        encoded(view, { first: range.start.line, last: range.end.line }),
      ),
    );
  },
};

interface Placed extends Token {
  readonly line: number;
  readonly character: number;
}

function encoded(view: View, lines: Lines): SemanticTokens {
  const found = view.project.isConfig(view.name) ? inConfig(view, lines) : inDefinitions(view, lines);
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

const inDefinitions = (view: View, lines: Lines): Placed[] =>
  view.definitions.flatMap((definition) => {
    const { doc } = definition;
    const resource = view.analysis.resources.find((one) => one.definition === definition) ?? null;
    return placed(
      doc,
      tokensIn(definition, resource, (node) => isShown(doc, node, lines)),
    );
  });

/** The config contains no other names than accessors. */
function inConfig({ tree, doc }: View, lines: Lines): Placed[] {
  const visit = (node: LocatedNode): Token[] => {
    const parts = node.type === 'string' && isShown(doc, node, lines) ? accessorsIn(String(node.scalar)) : [];
    return [
      ...ofAccessors(doc, { node, parts }),
      ...node.items.flatMap(visit),
      ...node.members.flatMap(({ value }) => (value === null ? [] : visit(value))),
    ];
  };
  return tree.root === null ? [] : placed(doc, visit(tree.root));
}

const placed = (doc: Document, tokens: readonly Token[]): Placed[] =>
  tokens.map((token) => ({ ...token, ...positionAt(doc, token.start) }));

const isShown = (doc: Document, { start, end }: Pick<LocatedNode, 'start' | 'end'>, { first, last }: Lines): boolean =>
  last === Number.POSITIVE_INFINITY || (positionAt(doc, end).line >= first && positionAt(doc, start).line <= last);
