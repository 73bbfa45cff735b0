/**
 * Re-exports the used parts of the protocol package: the bundler otherwise copies all of its names for each importing module,
 * which delays the start.
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
  MessageType,
  ProposedFeatures,
  ResponseError,
  SemanticTokensBuilder,
  ShowMessageNotification,
  SymbolKind,
  TextDocumentSyncKind,
  TextDocuments,
  createConnection,
} from 'vscode-languageserver/node';
