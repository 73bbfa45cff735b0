/** Links plugin names to reference pages, model names and paths to files. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DocumentLink, DocumentLinkParams, Range } from 'vscode-languageserver';
import { asText } from '../../contract/json.js';
import { positionAt, rangeAt, type Document } from '../../language/source/document.js';
import { createDocumentHandler, type ServerContext, type Feature } from '../server-context.js';
import { listFieldsInRange, type FieldInRange } from '../fields-in-range.js';
import { findReferencePage } from '../page-urls.js';
import type { DocumentContext } from '../document-context.js';

const EVERYTHING: Range = { start: { line: 0, character: 0 }, end: { line: Number.MAX_SAFE_INTEGER, character: 0 } };

export const documentLinks: Feature = {
  capabilities: () => ({ documentLinkProvider: { resolveProvider: false } }),
  attach: (server) =>
    server.connection.onDocumentLinks(
      createDocumentHandler<DocumentLinkParams, DocumentLink[]>(server, [], (view) => [
        ...listFieldsInRange(view, EVERYTHING).flatMap((shown) => createLinks(server, view, shown)),
        ...modelLinks(server, view),
      ]),
    ),
};

function createLinks(
  server: ServerContext,
  { registry, project, name: file }: DocumentContext,
  { level: { field }, node, range }: FieldInRange,
): DocumentLink[] {
  if (node.type !== 'string' || field === null) return [];
  const text = asText(node.scalar);
  const { plugin, path } = field.meta;
  if (plugin !== undefined && registry.plugin(plugin, text) !== undefined) {
    const target = findReferencePage(project, `kinds/${plugin}`, text);
    return target === null ? [] : [{ range: excludeQuotes(range), target, tooltip: 'Open the reference' }];
  }
  if (path === undefined) return [];
  // `builtin:*` and URLs are not paths.
  const base = path === 'sibling' ? dirname(file) : project.folder;
  const name = /^[a-z][a-z0-9+.-]+:|[*?]/i.test(text) || text === '' ? null : resolve(base, text);
  if (name === null || !existsSync(name)) return [];
  return [
    {
      range: excludeQuotes(range),
      target: server.toClientUri(name),
      tooltip: path === 'folder' ? 'Show the folder' : 'Open the file',
    },
  ];
}

/** Links a model name to the line that declares it. */
function modelLinks(server: ServerContext, { definitions, analysis, project }: DocumentContext): DocumentLink[] {
  const models = new Map(analysis.models.map((model) => [model.name, model.definition]));
  return definitions.flatMap(({ doc, finds }) =>
    finds.references.flatMap(({ refers, name, spot }) => {
      const model = refers.symbol === 'model' ? models.get(String(name)) : undefined;
      if (model === undefined) return [];
      const file = server.toClientUri(resolve(project.folder, model.doc.file));
      const target = `${file}#L${toLineNumber(model.doc, model.nameSpot.start)}`;
      return [{ range: excludeQuotes(rangeAt(doc, spot.start, spot.end)), target, tooltip: 'Open the model' }];
    }),
  );
}

const toLineNumber = (doc: Document, start: number): number => positionAt(doc, start).line + 1;

const excludeQuotes = ({ start, end }: Range): Range =>
  start.line !== end.line || end.character - start.character < 2
    ? { start, end }
    : {
        start: { line: start.line, character: start.character + 1 },
        end: { line: end.line, character: end.character - 1 },
      };
