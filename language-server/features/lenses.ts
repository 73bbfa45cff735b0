/** Code lenses: reference counts, computed when visible, and commands for resources. */
import type { CodeLens, CodeLensParams } from 'vscode-languageserver';
import { findMember } from '../../language/source/tree.js';
import { rangeAt } from '../../language/source/document.js';
import { createSymbolKey, type SymbolId } from '../../language/analysis/symbols.js';
import { createDocumentHandler, createRequestHandler, type ServerContext, type Feature } from '../server-context.js';
import { getSymbolIndex, toLspLocation, findSymbolLocations } from '../navigation/symbol-locations.js';
import type { DocumentContext } from '../document-context.js';

/** Data that the client returns to resolve a lens. */
interface LensData {
  readonly uri: string;
  readonly key: string;
}

export const lenses: Feature = {
  capabilities: () => ({ codeLensProvider: { resolveProvider: true } }),
  attach(server) {
    server.connection.onCodeLens(
      createDocumentHandler<CodeLensParams, CodeLens[] | null>(server, null, (view) => createLenses(view)),
    );
    server.connection.onCodeLensResolve(
      async (lens) => (await createRequestHandler(server, null, createLensResolver(server))(lens)) ?? lens,
    );
  },
};

function createLenses(view: DocumentContext): CodeLens[] {
  const found: CodeLens[] = [];
  const index = getSymbolIndex(view.project);
  const addReferenceLens = (range: CodeLens['range'], id: SymbolId): void => {
    if (index.get(id) !== undefined)
      found.push({ range, data: { uri: view.uri, key: createSymbolKey(id) } satisfies LensData });
  };
  for (const definition of view.definitions) {
    const { sort, name, nameSpot, doc, node, finds } = definition;
    if (sort === 'model') {
      addReferenceLens(rangeAt(nameSpot.doc, nameSpot.start, nameSpot.end), { sort: 'model', within: '', name });
      continue;
    }
    if (sort !== 'resource') continue;
    const id = findMember(node, 'id')?.value;
    if (id?.type !== 'string' || id.scalar === '') continue;
    const resource = String(id.scalar);
    const range = rangeAt(doc, id.start, id.end);
    addReferenceLens(range, { sort: 'resource', within: '', name: resource });
    found.push({
      range,
      command: { title: 'Send request', command: 'lintel.sendRequest', arguments: [view.uri, resource] },
    });
    found.push({ range, command: { title: 'Show plan', command: 'lintel.showPlan', arguments: [view.uri, resource] } });
    const within = String(view.analysis.definitions.indexOf(definition));
    for (const { symbol, name: given, spot } of finds.declarations) {
      if (symbol === 'name')
        addReferenceLens(rangeAt(spot.doc, spot.start, spot.end), { sort: 'name', within, name: given });
    }
  }
  return found;
}

const createLensResolver =
  (server: ServerContext) =>
  async (lens: CodeLens): Promise<CodeLens> => {
    // Lenses with a command are already resolved.
    if (lens.data === undefined || lens.data === null) return lens;
    const { uri, key } = lens.data as LensData;
    const view = await server.loadDocument(uri);
    const symbol = view === null ? undefined : getSymbolIndex(view.project).symbols.get(key);
    const places = view === null || symbol === undefined ? [] : findSymbolLocations(view.project, symbol);
    const locations = places
      .filter(({ role }) => role === 'use')
      .map((place) => toLspLocation(place, server.toClientUri));
    const title = locations.length === 1 ? '1 reference' : `${locations.length} references`;
    return {
      range: lens.range,
      command: { title, command: 'lintel.showReferences', arguments: [uri, lens.range.start, locations] },
    };
  };
