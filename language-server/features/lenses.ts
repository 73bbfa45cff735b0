/**
 * Code lenses: reference counts, and commands for resources. Counts are computed when a lens becomes visible; the client
 * implements the commands.
 */
import type { CodeLens, CodeLensParams } from 'vscode-languageserver';
import { memberOf } from '../../language/source/tree.js';
import { rangeAt } from '../../language/source/document.js';
import { symbolKey, type SymbolId } from '../../language/analysis/symbols.js';
import { answering, logging, type Desk, type Feature } from '../desk.js';
import { indexOf, locationOf, placesOf } from '../navigation/places.js';
import type { View } from '../view.js';

/** Data that the client returns to resolve a lens. */
interface Data {
  readonly uri: string;
  readonly key: string;
}

export const lenses: Feature = {
  capabilities: () => ({ codeLensProvider: { resolveProvider: true } }),
  attach(desk) {
    desk.connection.onCodeLens(answering<CodeLensParams, CodeLens[] | null>(desk, null, (view) => lensesOf(view)));
    desk.connection.onCodeLensResolve(async (lens) => (await logging(desk, null, counted(desk))(lens)) ?? lens);
  },
};

function lensesOf(view: View): CodeLens[] {
  const found: CodeLens[] = [];
  const index = indexOf(view.project);
  const uses = (range: CodeLens['range'], id: SymbolId): void => {
    if (index.get(id) !== undefined) found.push({ range, data: { uri: view.uri, key: symbolKey(id) } satisfies Data });
  };
  for (const definition of view.definitions) {
    const { sort, name, nameSpot, doc, node, finds } = definition;
    if (sort === 'model') {
      uses(rangeAt(nameSpot.doc, nameSpot.start, nameSpot.end), { sort: 'model', within: '', name });
      continue;
    }
    const id = memberOf(node, 'id')?.value;
    if (id?.type !== 'string' || id.scalar === '') continue;
    const resource = String(id.scalar);
    const range = rangeAt(doc, id.start, id.end);
    uses(range, { sort: 'resource', within: '', name: resource });
    found.push({
      range,
      command: { title: 'Send request', command: 'lintel.sendRequest', arguments: [view.uri, resource] },
    });
    found.push({ range, command: { title: 'Show plan', command: 'lintel.showPlan', arguments: [view.uri, resource] } });
    const within = String(view.analysis.definitions.indexOf(definition));
    for (const { symbol, name: given, spot } of finds.declarations) {
      if (symbol === 'name') uses(rangeAt(spot.doc, spot.start, spot.end), { sort: 'name', within, name: given });
    }
  }
  return found;
}

const counted =
  (desk: Desk) =>
  async (lens: CodeLens): Promise<CodeLens> => {
    // Lenses with a command are already resolved.
    if (lens.data === undefined || lens.data === null) return lens;
    const { uri, key } = lens.data as Data;
    const view = await desk.view(uri);
    const symbol = view === null ? undefined : indexOf(view.project).symbols.get(key);
    const places = view === null || symbol === undefined ? [] : placesOf(view.project, symbol);
    const locations = places.filter(({ role }) => role === 'use').map((place) => locationOf(place, desk.uriOf));
    const title = locations.length === 1 ? '1 reference' : `${locations.length} references`;
    return {
      range: lens.range,
      command: { title, command: 'lintel.showReferences', arguments: [uri, lens.range.start, locations] },
    };
  };
