/**
 * The server that Lintel is compared with: vscode-json-languageservice with the schema of `lintel schema`, over stdio. Minimal:
 * without delays, and each version of a text is parsed once.
 */
import { readFileSync } from 'node:fs';
import { getLanguageService, type JSONDocument, type JSONSchema } from 'vscode-json-languageservice';
import { createConnection, ProposedFeatures, TextDocuments, TextDocumentSyncKind } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';

const uri = 'lintel://schema';
const schemaFile = process.argv.find((argument) => argument.endsWith('.schema.json')) ?? '';
const connection = createConnection(ProposedFeatures.all);
const documents = new TextDocuments(TextDocument);
const service = getLanguageService({ clientCapabilities: { textDocument: { completion: { completionItem: {} } } } });
service.configure({
  validate: true,
  allowComments: true,
  schemas: [{ uri, fileMatch: ['*'], schema: JSON.parse(readFileSync(schemaFile, 'utf8')) as JSONSchema }],
});

let last: { readonly document: TextDocument; readonly version: number; readonly json: JSONDocument } | null = null;
function parseDocument(document: TextDocument): JSONDocument {
  if (last?.document !== document || last.version !== document.version)
    last = { document, version: document.version, json: service.parseJSONDocument(document) };
  return last.json;
}

connection.onInitialize(() => ({
  capabilities: {
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
    completionProvider: { triggerCharacters: ['"', ':'] },
    hoverProvider: true,
  },
}));
documents.onDidChangeContent(({ document }) => {
  const { version } = document;
  void Promise.resolve(
    service.doValidation(document, parseDocument(document), { comments: 'ignore', trailingCommas: 'ignore' }),
  ).then((diagnostics) => connection.sendDiagnostics({ uri: document.uri, version, diagnostics }));
});
connection.onCompletion(({ textDocument, position }) => {
  const document = documents.get(textDocument.uri);
  return document === undefined ? null : service.doComplete(document, position, parseDocument(document));
});
connection.onHover(({ textDocument, position }) => {
  const document = documents.get(textDocument.uri);
  return document === undefined ? null : service.doHover(document, position, parseDocument(document));
});
documents.listen(connection);
connection.listen();
