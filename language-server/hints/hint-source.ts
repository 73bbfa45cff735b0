/** The contract of one source of inlay hints. */
import type { InlayHint, Range } from 'vscode-languageserver';
import type { DocumentContext } from '../document-context.js';

export type InlayHintSource = (view: DocumentContext, range: Range) => readonly InlayHint[];
