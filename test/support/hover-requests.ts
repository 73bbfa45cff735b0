/** Requests the hover at the caret of a marked text, over the protocol. */
import { HoverRequest, type Position, type Range } from 'vscode-languageserver-protocol';
import type { Editor } from './editor-pair.js';

export interface MarkedHover {
  readonly markdown: string;
  readonly range: Range | undefined;
  /** Of the marked text: the range of the hover. */
  readonly marked: Range | undefined;
}

/** `«x:…»` marks the range of the hover. Null without a hover. */
export async function requestHover(editor: Editor, name: string, source: string): Promise<MarkedHover | null> {
  const { uri, caret, ranges } = editor.open(name, source);
  const answer = await editor.client.sendRequest(HoverRequest.type, {
    textDocument: { uri },
    position: caret as Position,
  });
  if (answer === null) return null;
  const { contents, range } = answer;
  if (typeof contents === 'string' || Array.isArray(contents) || !('kind' in contents)) throw new Error('no Markdown');
  return { markdown: contents.value, range, marked: ranges.get('x') };
}
