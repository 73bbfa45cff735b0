/** Code actions in the editor: the offers at a caret or a selection, and the files after one is accepted. */
import {
  CodeActionRequest,
  CodeActionResolveRequest,
  type CodeAction,
  type Diagnostic,
  type TextDocumentEdit,
  type TextEdit,
} from 'vscode-languageserver-protocol';
import type { Editor } from './editor-pair.js';
import { applyTextEdits, parseMarked } from './marked-source.js';

export interface OfferedActions {
  readonly actions: readonly CodeAction[];
  readonly titles: readonly string[];
  /** Texts of the files after an action, by name; the requested one under `''`. */
  applyAction(title: string | RegExp): Readonly<Record<string, string>>;
  /** Accepts it, writes it into the open file, and returns the new diagnostics of the server. */
  applyAndDiagnose(
    title: string | RegExp,
  ): Promise<{ readonly text: string; readonly diagnostics: readonly Diagnostic[] }>;
}

/** `texts`: other files that an action may change. `only`: the requested kinds. */
export async function requestActions(
  editor: Editor,
  name: string,
  source: string,
  { texts = {}, only }: { readonly texts?: Readonly<Record<string, string>>; readonly only?: string } = {},
): Promise<OfferedActions> {
  const { text, caret, ranges } = parseMarked(source);
  editor.open(name, text);
  const start = { line: 0, character: 0 };
  const range =
    ranges.get('1') ?? (caret === null ? { start, end: { line: 1e6, character: 0 } } : { start: caret, end: caret });
  const answer = await editor.client.sendRequest(CodeActionRequest.type, {
    textDocument: { uri: editor.toUri(name) },
    range,
    context: { diagnostics: [], ...(only !== undefined && { only: [only] }) },
  });
  const actions = await Promise.all(
    ((answer ?? []) as CodeAction[]).map(async (one) =>
      one.edit === undefined ? editor.client.sendRequest(CodeActionResolveRequest.type, one) : one,
    ),
  );
  const find = (title: string | RegExp): CodeAction => {
    const found = actions.find((one) => (typeof title === 'string' ? one.title === title : title.test(one.title)));
    if (found === undefined)
      throw new Error(`no action ${String(title)}, but ${actions.map((one) => one.title).join('; ')}`);
    return found;
  };
  const applyAction = (title: string | RegExp): Record<string, string> => {
    const after: Record<string, string> = {};
    for (const [uri, edits] of listEdits(find(title))) {
      const file = decodeURIComponent(uri.slice(editor.toUri('').length)).replace(/^\//, '');
      if (file === name) after[''] = applyTextEdits(text, edits);
      else after[file] = applyTextEdits(texts[file] ?? '', edits);
    }
    return after;
  };
  return {
    actions,
    titles: actions.map((one) => one.title),
    applyAction,
    async applyAndDiagnose(title) {
      const { '': after = text, ...others } = applyAction(title);
      await editor.write(others);
      editor.changeDocument(name, after);
      return { text: after, diagnostics: await editor.diagnostics(name) };
    },
  };
}

/** Edits by URI, in the order of application. */
export function listEdits({ edit }: CodeAction): readonly (readonly [string, readonly TextEdit[]])[] {
  const documents = (edit?.documentChanges ?? []).filter((one): one is TextDocumentEdit => 'textDocument' in one);
  return [
    ...Object.entries(edit?.changes ?? {}),
    ...documents.map(({ textDocument, edits }) => [textDocument.uri, edits as TextEdit[]] as const),
  ];
}
