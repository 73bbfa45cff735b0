/** Ranges of the language server and of `lintel`, as the editor's own. */
import { Range } from 'vscode';
import type { Range as ProtocolRange } from 'vscode-languageclient/node';

export type { ProtocolRange };

export const toRange = ({ start, end }: ProtocolRange): Range =>
  new Range(start.line, start.character, end.line, end.character);
