/** Document symbols (outline), and workspace symbols by fuzzy search. */
import type { DocumentSymbol, SymbolInformation, WorkspaceSymbolParams } from 'vscode-languageserver';
import { SymbolKind } from '../protocol.js';
import type { NamedSymbol } from '../../language/analysis/symbols.js';
import { createDocumentHandler, createRequestHandler, type ServerContext, type Feature } from '../server-context.js';
import { getSymbolIndex, toLspLocation, findSymbolLocations } from '../navigation/symbol-locations.js';
import { createDocumentOutline } from '../navigation/outline.js';
import type { Project } from '../project.js';

/** Maximum number of search results. */
const MOST = 256;

export const symbols: Feature = {
  capabilities: () => ({ documentSymbolProvider: true, workspaceSymbolProvider: true }),
  attach(server) {
    const { connection } = server;
    connection.onDocumentSymbol(
      createDocumentHandler(server, null, (view) => {
        const tree = createDocumentOutline(view);
        const isTree = server.client.textDocument?.documentSymbol?.hierarchicalDocumentSymbolSupport === true;
        return isTree ? tree : flattenSymbols(tree, view.uri);
      }),
    );
    connection.onWorkspaceSymbol(
      createRequestHandler(server, null, (params: WorkspaceSymbolParams) => findWorkspaceSymbols(server, params)),
    );
  },
};

function flattenSymbols(tree: readonly DocumentSymbol[], uri: string, containerName?: string): SymbolInformation[] {
  return tree.flatMap(({ name, kind, range, children }) => [
    { name, kind, location: { uri, range }, ...(containerName !== undefined && { containerName }) },
    ...flattenSymbols(children ?? [], uri, name),
  ]);
}

const KINDS: Readonly<Partial<Record<NamedSymbol['sort'], SymbolKind>>> = {
  resource: SymbolKind.Interface,
  model: SymbolKind.Struct,
  field: SymbolKind.Field,
  name: SymbolKind.Variable,
  environment: SymbolKind.Constant,
};

async function findWorkspaceSymbols(
  server: ServerContext,
  { query }: WorkspaceSymbolParams,
): Promise<SymbolInformation[]> {
  const found: { readonly rank: number; readonly symbol: SymbolInformation }[] = [];
  for (const project of await server.listProjects()) {
    const paths = new Map(project.getSnapshot().analysis.resources.map(({ id, path }) => [id, path]));
    for (const symbol of getSymbolIndex(project).symbols.values()) {
      const kind = KINDS[symbol.sort];
      if (kind === undefined) continue;
      const containerName = getContainerName(project, symbol, paths);
      const texts = symbol.sort === 'resource' ? [symbol.name, containerName] : [symbol.name];
      const rank = Math.min(...texts.map((text) => rankMatch(query, text)));
      const [place] = Number.isFinite(rank) ? findSymbolLocations(project, symbol) : [];
      if (place?.role !== 'declaration') continue;
      const { name } = symbol;
      found.push({ rank, symbol: { name, kind, containerName, location: toLspLocation(place, server.toClientUri) } });
    }
  }
  return found
    .sort((a, b) => a.rank - b.rank || (a.symbol.name < b.symbol.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ symbol }) => symbol);
}

function getContainerName(project: Project, symbol: NamedSymbol, paths: ReadonlyMap<string, string>): string {
  if (symbol.sort === 'resource') return paths.get(symbol.name) ?? '';
  if (symbol.sort !== 'name') return symbol.within;
  const definition = project.getSnapshot().analysis.definitions[Number(symbol.within)];
  return project.getSnapshot().analysis.resources.find((one) => one.definition === definition)?.id ?? '';
}

/** Lower for letters close together and near the start; Infinity without a match. */
export function rankMatch(query: string, text: string): number {
  const [wanted, letters] = [query.toLowerCase(), text.toLowerCase()];
  const whole = letters.indexOf(wanted);
  if (whole !== -1) return whole + (letters.length - wanted.length) / 100;
  let at = -1;
  let gaps = 0;
  for (const letter of wanted) {
    const next = letters.indexOf(letter, at + 1);
    if (next === -1) return Infinity;
    gaps += next - at - 1;
    at = next;
  }
  return 100 + gaps;
}
