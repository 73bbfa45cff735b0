/**
 * What the server uses of the protocol's package, in one place: a bundle makes a copy of all of its names for each file that imports
 * it, and a process that starts would make them before it answers.
 */
export {
  CodeActionKind,
  CompletionItemKind,
  CompletionItemTag,
  DiagnosticSeverity,
  DiagnosticTag,
  DidChangeWatchedFilesNotification,
  DocumentHighlightKind,
  FoldingRangeKind,
  InlayHintKind,
  InsertTextFormat,
  LSPErrorCodes,
  ProposedFeatures,
  ResponseError,
  SemanticTokensBuilder,
  SymbolKind,
  TextDocumentSyncKind,
  TextDocuments,
  createConnection,
} from 'vscode-languageserver/node';
