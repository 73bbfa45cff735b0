/** The contract of one source of inlay hints. */
import type { InlayHint, Range } from 'vscode-languageserver';
import type { View } from '../view.js';

/** Returns the hints in a range. */
export type InlaySource = (view: View, range: Range) => readonly InlayHint[];
