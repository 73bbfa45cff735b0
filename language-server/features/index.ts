/** The list of all features. */
import type { Feature } from '../server-context.js';
import { callHierarchy } from './call-hierarchy.js';
import { codeActions } from './code-actions.js';
import { completion } from './completion.js';
import { definition } from './definition.js';
import { documentLinks } from './document-links.js';
import { fileMoves } from './file-moves.js';
import { folding } from './folding.js';
import { formatting } from './formatting.js';
import { highlights } from './highlights.js';
import { hover } from './hover.js';
import { inlayHints } from './inlay-hints.js';
import { lenses } from './lenses.js';
import { references } from './references.js';
import { rename } from './rename.js';
import { requests } from './requests.js';
import { selection } from './selection.js';
import { semanticTokens } from './semantic-tokens.js';
import { signatureHelp } from './signature-help.js';
import { statements } from './statements.js';
import { symbols } from './symbols.js';
import { valueFlow } from './value-flow.js';

export const FEATURES: readonly Feature[] = [
  callHierarchy,
  codeActions,
  completion,
  definition,
  documentLinks,
  fileMoves,
  folding,
  formatting,
  highlights,
  hover,
  inlayHints,
  lenses,
  references,
  rename,
  requests,
  selection,
  semanticTokens,
  signatureHelp,
  statements,
  symbols,
  valueFlow,
];
