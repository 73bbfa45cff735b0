/**
 * Every request that an editor may send, by the capability that announces it, and what may be said of any answer: ranges lie
 * in their documents, edits can be made, tokens are in order. Knows nothing of any feature.
 */
import type { Position, Range, ServerCapabilities, TextEdit } from 'vscode-languageserver-protocol';
import { document } from '../../language/source/document.js';

/** The place that is asked about, in one file. */
export interface Place {
  readonly uri: string;
  readonly text: string;
  readonly position: Position;
  readonly range: Range;
  /** Of other files that answers may speak of, by address. */
  readonly texts: ReadonlyMap<string, string>;
}

interface Ask {
  readonly method: string;
  readonly params: (place: Place, capabilities: ServerCapabilities) => object;
  /** What is sent with an item of the answer. */
  /** A refusal with words is an answer too. */
  readonly refuses?: true;
  readonly then?: { readonly method: string; readonly params: (item: object) => object };
}

const at = ({ uri, position }: Place): object => ({ textDocument: { uri }, position });
const whole = ({ uri }: Place): object => ({ textDocument: { uri } });
const part = ({ uri, range }: Place): object => ({ textDocument: { uri }, range });
const options = { tabSize: 2, insertSpaces: true };
const same = (item: object): object => item;

/** By the name of the capability; a capability that is not here is not known to the test, which then fails. */
export const ASKS: Readonly<Record<string, readonly Ask[]>> = {
  completionProvider: [
    { method: 'textDocument/completion', params: at, then: { method: 'completionItem/resolve', params: same } },
  ],
  hoverProvider: [{ method: 'textDocument/hover', params: at }],
  signatureHelpProvider: [{ method: 'textDocument/signatureHelp', params: at }],
  definitionProvider: [{ method: 'textDocument/definition', params: at }],
  declarationProvider: [{ method: 'textDocument/declaration', params: at }],
  typeDefinitionProvider: [{ method: 'textDocument/typeDefinition', params: at }],
  implementationProvider: [{ method: 'textDocument/implementation', params: at }],
  referencesProvider: [
    { method: 'textDocument/references', params: (place) => ({ ...at(place), context: { includeDeclaration: true } }) },
  ],
  documentHighlightProvider: [{ method: 'textDocument/documentHighlight', params: at }],
  documentSymbolProvider: [{ method: 'textDocument/documentSymbol', params: whole }],
  workspaceSymbolProvider: [{ method: 'workspace/symbol', params: ({ text }) => ({ query: text.slice(3, 6) }) }],
  codeActionProvider: [
    {
      method: 'textDocument/codeAction',
      params: (place) => ({ ...part(place), context: { diagnostics: [] } }),
      then: { method: 'codeAction/resolve', params: same },
    },
    {
      method: 'textDocument/codeAction',
      params: (place) => ({ ...part(place), context: { diagnostics: [], only: ['source.fixAll'] } }),
    },
  ],
  codeLensProvider: [
    { method: 'textDocument/codeLens', params: whole, then: { method: 'codeLens/resolve', params: same } },
  ],
  documentLinkProvider: [
    { method: 'textDocument/documentLink', params: whole, then: { method: 'documentLink/resolve', params: same } },
  ],
  colorProvider: [{ method: 'textDocument/documentColor', params: whole }],
  documentFormattingProvider: [
    { method: 'textDocument/formatting', params: (place) => ({ ...whole(place), options }) },
  ],
  documentRangeFormattingProvider: [
    { method: 'textDocument/rangeFormatting', params: (place) => ({ ...part(place), options }) },
  ],
  renameProvider: [
    { method: 'textDocument/prepareRename', params: at, refuses: true },
    { method: 'textDocument/rename', params: (place) => ({ ...at(place), newName: 'other_name' }), refuses: true },
  ],
  foldingRangeProvider: [{ method: 'textDocument/foldingRange', params: whole }],
  selectionRangeProvider: [
    { method: 'textDocument/selectionRange', params: (place) => ({ ...whole(place), positions: [place.position] }) },
  ],
  semanticTokensProvider: [
    { method: 'textDocument/semanticTokens/full', params: whole },
    { method: 'textDocument/semanticTokens/range', params: part },
  ],
  inlayHintProvider: [{ method: 'textDocument/inlayHint', params: part }],
  linkedEditingRangeProvider: [{ method: 'textDocument/linkedEditingRange', params: at }],
};

/** Capabilities that announce no request about a text. */
const SILENT = ['textDocumentSync', 'positionEncoding', 'workspace', 'executeCommandProvider', 'experimental'];

export interface Request {
  readonly method: string;
  readonly params: object;
  readonly refuses: boolean;
  readonly then?: Ask['then'];
}

/** All that the server says it answers, asked about one place. */
export function requestsOf(capabilities: ServerCapabilities, place: Place): Request[] {
  return Object.entries(capabilities as Record<string, unknown>).flatMap(([name, value]) => {
    if (SILENT.includes(name) || value === false || value === undefined) return [];
    const asks = ASKS[name];
    if (asks === undefined) throw new Error(`test/support/editor-requests.ts does not know "${name}"`);
    const resolves = (value as { readonly resolveProvider?: boolean }).resolveProvider === true;
    const has = (method: string): boolean =>
      (!method.endsWith('prepareRename') || (value as { prepareProvider?: boolean }).prepareProvider === true) &&
      (!method.endsWith('/range') || (value as { range?: boolean }).range === true);
    return asks
      .filter(({ method }) => has(method))
      .map(({ method, params, then, refuses = false }) => ({
        method,
        refuses,
        params: params(place, capabilities),
        ...(then !== undefined && resolves && { then }),
      }));
  });
}

/** Throws with words when an answer could not be used by an editor. */
export function assertWellFormed(method: string, answer: unknown, place: Place): void {
  const say = (what: string): never => {
    throw new Error(`${method} at ${JSON.stringify(place.position)}: ${what}`);
  };
  const textOf = (uri: string): string | undefined => (uri === place.uri ? place.text : place.texts.get(uri));
  visit(answer, place.uri);
  if (method === 'textDocument/completion') completions(answer);
  if (method.startsWith('textDocument/semanticTokens/')) tokens(answer);
  if (method === 'textDocument/foldingRange') folds(answer);

  function visit(value: unknown, uri: string): void {
    if (Array.isArray(value)) {
      if (value.length > 0 && value.every(isEdit)) edits(value, uri);
      for (const item of value) visit(item, uri);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const fields = value as Record<string, unknown>;
    if (isRange(value)) {
      range(value, uri);
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
        if (!within(outer, here)) say('a selection is not inside its parent');
        visit(inner, uri);
      } else if (key === 'selectionRange' && isRange(fields['range']) && !within(fields['range'], inner as Range)) {
        say('the selection range of a symbol is not inside its range');
      } else visit(inner, key === 'originSelectionRange' ? place.uri : (own ?? uri));
    }
  }

  function range(one: Range, uri: string): void {
    const text = textOf(uri);
    if (before(one.end, one.start)) say(`the range ${JSON.stringify(one)} ends before it begins`);
    if (text === undefined) return;
    for (const position of [one.start, one.end]) {
      if (offsetOf(text, position) === null) say(`${JSON.stringify(position)} does not lie in ${uri}`);
    }
  }

  function edits(list: readonly TextEdit[], uri: string): void {
    const sorted = [...list].sort((a, b) =>
      before(a.range.start, b.range.start) ? -1 : before(b.range.start, a.range.start) ? 1 : 0,
    );
    for (const [i, one] of sorted.entries()) {
      const next = sorted[i + 1];
      if (next !== undefined && before(next.range.start, one.range.end))
        say(`edits of ${uri} overlap: ${JSON.stringify([one, next])}`);
    }
  }

  function completions(found: unknown): void {
    const items = (Array.isArray(found) ? found : ((found as { items?: unknown[] } | null)?.items ?? [])) as {
      readonly label: string;
      readonly textEdit?: { readonly range: Range };
      readonly additionalTextEdits?: readonly TextEdit[];
    }[];
    for (const { label, textEdit, additionalTextEdits = [] } of items) {
      if (label === '') say('an item without a label');
      const { position } = place;
      if (textEdit === undefined) continue;
      const { start, end } = textEdit.range;
      if (start.line !== end.line) say(`the edit of "${label}" has several lines`);
      if (before(position, start) || before(end, position)) say(`the edit of "${label}" is not at the caret`);
      for (const { range: other } of additionalTextEdits) {
        if (before(other.start, end) && before(start, other.end)) say(`the edits of "${label}" overlap`);
      }
    }
  }

  function tokens(found: unknown): void {
    const data = (found as { readonly data?: readonly number[] } | null)?.data ?? [];
    if (data.length % 5 !== 0) say('tokens are not groups of five');
    let [line, character, last] = [0, 0, 0];
    for (let i = 0; i < data.length; i += 5) {
      const [lines = 0, characters = 0, length = 0] = data.slice(i, i + 5);
      if (lines < 0 || (lines === 0 && characters < 0)) say('tokens are out of order');
      if (lines === 0 && i > 0 && characters < last) say('tokens overlap');
      [line, character, last] = [line + lines, lines > 0 ? characters : character + characters, length];
      if (length <= 0) say('a token without characters');
      if (offsetOf(place.text, { line, character: character + length }) === null) say(`a token beyond line ${line}`);
    }
  }

  function folds(found: unknown): void {
    const lines = document('', place.text).lineStarts.length;
    for (const { startLine, endLine } of (found ?? []) as { startLine: number; endLine: number }[]) {
      if (startLine < 0 || endLine < startLine || endLine >= lines)
        say(`lines ${startLine} to ${endLine} cannot be folded`);
    }
  }
}

const isPosition = (value: unknown): value is Position =>
  typeof (value as Position | null)?.line === 'number' && typeof (value as Position).character === 'number';
const isRange = (value: unknown): value is Range =>
  isPosition((value as Range | null | undefined)?.start) && isPosition((value as Range).end);
const isEdit = (value: unknown): value is TextEdit =>
  isRange((value as TextEdit | null)?.range) && typeof (value as TextEdit).newText === 'string';

const before = (a: Position, b: Position): boolean =>
  a.line < b.line || (a.line === b.line && a.character < b.character);
const within = (outer: Range, inner: Range): boolean =>
  !before(inner.start, outer.start) && !before(outer.end, inner.end);

/** Null for a position that the text does not have. */
function offsetOf(text: string, { line, character }: Position): number | null {
  const { lineStarts } = document('', text);
  const start = lineStarts[line];
  if (start === undefined || character < 0 || !Number.isInteger(character)) return null;
  const offset = start + character;
  return offset > (lineStarts[line + 1] ?? text.length) ? null : offset;
}
