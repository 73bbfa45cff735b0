/**
 * Every request that an editor may send, by the capability that announces it, and properties of any response: ranges
 * are inside their documents, edits can be applied, tokens are in order. Independent of features.
 */
import type { Position, Range, ServerCapabilities, TextEdit } from 'vscode-languageserver-protocol';
import { createDocument } from '../../language/source/document.js';

/** The requested position, in one file. */
export interface Place {
  readonly uri: string;
  readonly text: string;
  readonly position: Position;
  readonly range: Range;
  /** Other files that responses may refer to, by URI. */
  readonly texts: ReadonlyMap<string, string>;
}

interface RequestTemplate {
  readonly method: string;
  readonly params: (place: Place, capabilities: ServerCapabilities) => object;
  /** Parameters sent with an item of the response. */
  /** A rejection with a message is a response too. */
  readonly refuses?: true;
  readonly then?: { readonly method: string; readonly params: (item: object) => object };
}

const toPositionParams = ({ uri, position }: Place): object => ({ textDocument: { uri }, position });
const toDocumentParams = ({ uri }: Place): object => ({ textDocument: { uri } });
const toRangeParams = ({ uri, range }: Place): object => ({ textDocument: { uri }, range });
const options = { tabSize: 2, insertSpaces: true };
const passItem = (item: object): object => item;

/** By the name of the capability; a capability that is not here is not known to the test, which then fails. */
export const TEMPLATES: Readonly<Record<string, readonly RequestTemplate[]>> = {
  completionProvider: [
    {
      method: 'textDocument/completion',
      params: toPositionParams,
      then: { method: 'completionItem/resolve', params: passItem },
    },
  ],
  hoverProvider: [{ method: 'textDocument/hover', params: toPositionParams }],
  signatureHelpProvider: [{ method: 'textDocument/signatureHelp', params: toPositionParams }],
  definitionProvider: [{ method: 'textDocument/definition', params: toPositionParams }],
  declarationProvider: [{ method: 'textDocument/declaration', params: toPositionParams }],
  typeDefinitionProvider: [{ method: 'textDocument/typeDefinition', params: toPositionParams }],
  implementationProvider: [{ method: 'textDocument/implementation', params: toPositionParams }],
  referencesProvider: [
    {
      method: 'textDocument/references',
      params: (place) => ({ ...toPositionParams(place), context: { includeDeclaration: true } }),
    },
  ],
  callHierarchyProvider: ['callHierarchy/incomingCalls', 'callHierarchy/outgoingCalls'].map((method) => ({
    method: 'textDocument/prepareCallHierarchy',
    params: toPositionParams,
    then: { method, params: (item) => ({ item }) },
  })),
  documentHighlightProvider: [{ method: 'textDocument/documentHighlight', params: toPositionParams }],
  documentSymbolProvider: [{ method: 'textDocument/documentSymbol', params: toDocumentParams }],
  workspaceSymbolProvider: [{ method: 'workspace/symbol', params: ({ text }) => ({ query: text.slice(3, 6) }) }],
  codeActionProvider: [
    {
      method: 'textDocument/codeAction',
      params: (place) => ({ ...toRangeParams(place), context: { diagnostics: [] } }),
      then: { method: 'codeAction/resolve', params: passItem },
    },
    {
      method: 'textDocument/codeAction',
      params: (place) => ({ ...toRangeParams(place), context: { diagnostics: [], only: ['source.fixAll'] } }),
    },
  ],
  codeLensProvider: [
    {
      method: 'textDocument/codeLens',
      params: toDocumentParams,
      then: { method: 'codeLens/resolve', params: passItem },
    },
  ],
  documentLinkProvider: [
    {
      method: 'textDocument/documentLink',
      params: toDocumentParams,
      then: { method: 'documentLink/resolve', params: passItem },
    },
  ],
  colorProvider: [{ method: 'textDocument/documentColor', params: toDocumentParams }],
  documentFormattingProvider: [
    { method: 'textDocument/formatting', params: (place) => ({ ...toDocumentParams(place), options }) },
  ],
  documentRangeFormattingProvider: [
    { method: 'textDocument/rangeFormatting', params: (place) => ({ ...toRangeParams(place), options }) },
  ],
  renameProvider: [
    { method: 'textDocument/prepareRename', params: toPositionParams, refuses: true },
    {
      method: 'textDocument/rename',
      params: (place) => ({ ...toPositionParams(place), newName: 'other_name' }),
      refuses: true,
    },
  ],
  foldingRangeProvider: [{ method: 'textDocument/foldingRange', params: toDocumentParams }],
  selectionRangeProvider: [
    {
      method: 'textDocument/selectionRange',
      params: (place) => ({ ...toDocumentParams(place), positions: [place.position] }),
    },
  ],
  semanticTokensProvider: [
    { method: 'textDocument/semanticTokens/full', params: toDocumentParams },
    { method: 'textDocument/semanticTokens/range', params: toRangeParams },
  ],
  inlayHintProvider: [{ method: 'textDocument/inlayHint', params: toRangeParams }],
  linkedEditingRangeProvider: [{ method: 'textDocument/linkedEditingRange', params: toPositionParams }],
};

/** Capabilities that announce no request about a text. */
const SILENT = ['textDocumentSync', 'positionEncoding', 'workspace', 'executeCommandProvider', 'experimental'];

export interface Request {
  readonly method: string;
  readonly params: object;
  readonly refuses: boolean;
  readonly then?: RequestTemplate['then'];
}

/** All requests that the server supports, sent for one position. */
export function listRequests(capabilities: ServerCapabilities, place: Place): Request[] {
  return Object.entries(capabilities as Record<string, unknown>).flatMap(([name, value]) => {
    if (SILENT.includes(name) || value === false || value === undefined) return [];
    const templates = TEMPLATES[name];
    if (templates === undefined) throw new Error(`test/support/editor-requests.ts does not know "${name}"`);
    const resolves = (value as { readonly resolveProvider?: boolean }).resolveProvider === true;
    const has = (method: string): boolean =>
      (!method.endsWith('prepareRename') || (value as { prepareProvider?: boolean }).prepareProvider === true) &&
      (!method.endsWith('/range') || (value as { range?: boolean }).range === true);
    return templates
      .filter(({ method }) => has(method))
      .map(({ method, params, then, refuses = false }) => ({
        method,
        refuses,
        params: params(place, capabilities),
        ...(then !== undefined && (resolves || !then.method.endsWith('/resolve')) && { then }),
      }));
  });
}

/** Throws with a message when an editor could not use a response. */
export function assertWellFormed(method: string, answer: unknown, place: Place): void {
  const failWith = (what: string): never => {
    throw new Error(`${method} at ${JSON.stringify(place.position)}: ${what}`);
  };
  const getText = (uri: string): string | undefined => (uri === place.uri ? place.text : place.texts.get(uri));
  visit(answer, place.uri);
  if (method === 'textDocument/completion') checkCompletions(answer);
  if (method.startsWith('textDocument/semanticTokens/')) checkTokens(answer);
  if (method === 'textDocument/foldingRange') checkFolds(answer);

  function visit(value: unknown, uri: string): void {
    if (Array.isArray(value)) {
      if (value.length > 0 && value.every(isEdit)) checkEdits(value, uri);
      for (const item of value) visit(item, uri);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const fields = value as Record<string, unknown>;
    if (isRange(value)) {
      checkRange(value, uri);
      return;
    }
    const document = fields['textDocument'] as { readonly uri?: string } | undefined;
    const own = [fields['uri'], fields['targetUri'], document?.uri].find(
      (one): one is string => typeof one === 'string',
    );
    for (const [key, inner] of Object.entries(fields)) {
      if (key === 'changes' && typeof inner === 'object' && inner !== null) {
        for (const [address, list] of Object.entries(inner)) visit(list, address);
      } else if (key === 'parent' && isRange((inner as { range?: unknown })?.range)) {
        const [outer, here] = [(inner as { range: Range }).range, fields['range'] as Range];
        if (!isWithin(outer, here)) failWith('a selection is not inside its parent');
        visit(inner, uri);
      } else if (key === 'selectionRange' && isRange(fields['range']) && !isWithin(fields['range'], inner as Range)) {
        failWith('the selection range of a symbol is not inside its range');
      } else if (key === 'fromRanges') {
        // In the file of the caller; for outgoing calls, that of the requested item.
        visit(inner, (fields['from'] as { readonly uri?: string } | undefined)?.uri ?? '');
      } else visit(inner, key === 'originSelectionRange' ? place.uri : (own ?? uri));
    }
  }

  function checkRange(one: Range, uri: string): void {
    const text = getText(uri);
    if (isBefore(one.end, one.start)) failWith(`the range ${JSON.stringify(one)} ends before it begins`);
    if (text === undefined) return;
    for (const position of [one.start, one.end]) {
      if (findOffset(text, position) === null) failWith(`${JSON.stringify(position)} does not lie in ${uri}`);
    }
  }

  function checkEdits(list: readonly TextEdit[], uri: string): void {
    const sorted = [...list].sort((a, b) =>
      isBefore(a.range.start, b.range.start) ? -1 : isBefore(b.range.start, a.range.start) ? 1 : 0,
    );
    for (const [i, one] of sorted.entries()) {
      const next = sorted[i + 1];
      if (next !== undefined && isBefore(next.range.start, one.range.end))
        failWith(`edits of ${uri} overlap: ${JSON.stringify([one, next])}`);
    }
  }

  function checkCompletions(found: unknown): void {
    const items = (Array.isArray(found) ? found : ((found as { items?: unknown[] } | null)?.items ?? [])) as {
      readonly label: string;
      readonly textEdit?: { readonly range: Range };
      readonly additionalTextEdits?: readonly TextEdit[];
    }[];
    for (const { label, textEdit, additionalTextEdits = [] } of items) {
      if (label === '') failWith('an item without a label');
      const { position } = place;
      if (textEdit === undefined) continue;
      const { start, end } = textEdit.range;
      if (start.line !== end.line) failWith(`the edit of "${label}" has several lines`);
      if (isBefore(position, start) || isBefore(end, position)) failWith(`the edit of "${label}" is not at the caret`);
      for (const { range: other } of additionalTextEdits) {
        if (isBefore(other.start, end) && isBefore(start, other.end)) failWith(`the edits of "${label}" overlap`);
      }
    }
  }

  function checkTokens(found: unknown): void {
    const data = (found as { readonly data?: readonly number[] } | null)?.data ?? [];
    if (data.length % 5 !== 0) failWith('tokens are not groups of five');
    let [line, character, last] = [0, 0, 0];
    for (let i = 0; i < data.length; i += 5) {
      const [lines = 0, characters = 0, length = 0] = data.slice(i, i + 5);
      if (lines < 0 || (lines === 0 && characters < 0)) failWith('tokens are out of order');
      if (lines === 0 && i > 0 && characters < last) failWith('tokens overlap');
      [line, character, last] = [line + lines, lines > 0 ? characters : character + characters, length];
      if (length <= 0) failWith('a token without characters');
      if (findOffset(place.text, { line, character: character + length }) === null)
        failWith(`a token beyond line ${line}`);
    }
  }

  function checkFolds(found: unknown): void {
    const lines = createDocument('', place.text).lineStarts.length;
    for (const { startLine, endLine } of (found ?? []) as { startLine: number; endLine: number }[]) {
      if (startLine < 0 || endLine < startLine || endLine >= lines)
        failWith(`lines ${startLine} to ${endLine} cannot be folded`);
    }
  }
}

const isPosition = (value: unknown): value is Position =>
  typeof (value as Position | null)?.line === 'number' && typeof (value as Position).character === 'number';
const isRange = (value: unknown): value is Range =>
  isPosition((value as Range | null | undefined)?.start) && isPosition((value as Range).end);
const isEdit = (value: unknown): value is TextEdit =>
  isRange((value as TextEdit | null)?.range) && typeof (value as TextEdit).newText === 'string';

const isBefore = (a: Position, b: Position): boolean =>
  a.line < b.line || (a.line === b.line && a.character < b.character);
const isWithin = (outer: Range, inner: Range): boolean =>
  !isBefore(inner.start, outer.start) && !isBefore(outer.end, inner.end);

/** Null for a position that the text does not have. */
function findOffset(text: string, { line, character }: Position): number | null {
  const { lineStarts } = createDocument('', text);
  const start = lineStarts[line];
  if (start === undefined || character < 0 || !Number.isInteger(character)) return null;
  const offset = start + character;
  return offset > (lineStarts[line + 1] ?? text.length) ? null : offset;
}
