/** Call hierarchy of resources, actionables, events, rooms, schedules and cache keys. */
import { join } from 'node:path';
import type {
  CallHierarchyIncomingCall,
  CallHierarchyItem,
  CallHierarchyOutgoingCall,
  CallHierarchyPrepareParams,
  Range,
} from 'vscode-languageserver';
import { SymbolKind } from '../protocol.js';
import { createActionKey } from '../../language/analysis/read-resource.js';
import { formatSharedName, isSharedKind } from '../../language/analysis/shared-names.js';
import { toRange } from '../../language/analysis/symbols.js';
import { offsetInFile } from '../../language/source/document.js';
import { getCallGraph, toNodeKey, type Call, type CallGraph, type CallNode } from '../navigation/call-graph.js';
import { findSymbolAt } from '../navigation/symbol-locations.js';
import type { DocumentContext } from '../document-context.js';
import type { Project } from '../project.js';
import { createDocumentHandler, createRequestHandler, type Feature, type ServerContext } from '../server-context.js';

/** What the client returns with an item. */
interface ItemData {
  readonly folder: string;
  readonly key: string;
}

export const callHierarchy: Feature = {
  capabilities: () => ({ callHierarchyProvider: true }),
  attach(server) {
    const { callHierarchy: calls } = server.connection.languages;
    calls.onPrepare(
      createDocumentHandler<CallHierarchyPrepareParams, CallHierarchyItem[] | null>(
        server,
        null,
        (view, { position }) => {
          const node = findNode(view, view.offsetAt(position), position);
          return node === null ? null : [toItem(server, view.project, node)];
        },
      ),
    );
    calls.onIncomingCalls(
      createRequestHandler(server, null, ({ item }: { readonly item: CallHierarchyItem }) =>
        listCalls(server, item, 'to').then((found) =>
          found.map(({ item: from, fromRanges }): CallHierarchyIncomingCall => ({ from, fromRanges })),
        ),
      ),
    );
    calls.onOutgoingCalls(
      createRequestHandler(server, null, ({ item }: { readonly item: CallHierarchyItem }) =>
        listCalls(server, item, 'from').then((found) =>
          found.map(({ item: to, fromRanges }): CallHierarchyOutgoingCall => ({ to, fromRanges })),
        ),
      ),
    );
  },
};

const getGraph = (project: Project): CallGraph => getCallGraph(project.getSnapshot().analysis, project.registry);

/** The name at the position, else the actionable or the resource around it. */
function findNode(
  view: DocumentContext,
  offset: number,
  position: { line: number; character: number },
): CallNode | null {
  const { nodes } = getGraph(view.project);
  const symbol = findSymbolAt(view, position)?.symbol;
  if (symbol !== undefined) {
    const { sort, within, name } = symbol;
    const key =
      sort === 'resource' || isSharedKind(sort)
        ? toNodeKey(sort, name)
        : sort === 'action'
          ? toNodeKey('action', createActionKey(within, name))
          : '';
    const found = nodes.get(key);
    if (found !== undefined) return found;
  }
  const around = view.analysis.resources.find(({ definition }) => definition === view.definitionAt(offset));
  if (around === undefined) return null;
  const action = around.actions.find(({ definition: { doc }, node }) => {
    return offsetInFile(doc, node.start) <= offset && offset <= offsetInFile(doc, node.end);
  });
  const key = action === undefined ? toNodeKey('resource', around.id) : toNodeKey('action', action.key);
  return nodes.get(key) ?? null;
}

const KINDS: Readonly<Record<CallNode['sort'], SymbolKind>> = {
  resource: SymbolKind.Interface,
  action: SymbolKind.Method,
  schedule: SymbolKind.Event,
  event: SymbolKind.Event,
  room: SymbolKind.Event,
  'cache-key': SymbolKind.Key,
};

function toItem(server: ServerContext, { folder }: Project, { key, sort, name, detail, whole, spot }: CallNode) {
  const data: ItemData = { folder, key };
  return {
    name: isSharedKind(sort) ? formatSharedName(name) : name,
    detail,
    kind: KINDS[sort],
    uri: server.toClientUri(join(folder, spot.doc.file)),
    range: toRange(whole),
    selectionRange: toRange(spot),
    data,
  } satisfies CallHierarchyItem;
}

/** `side`: the side of the item in the calls. The ranges are in the file of the caller. */
async function listCalls(
  server: ServerContext,
  { data }: CallHierarchyItem,
  side: 'from' | 'to',
): Promise<{ readonly item: CallHierarchyItem; readonly fromRanges: Range[] }[]> {
  const { folder, key } = (data ?? {}) as Partial<ItemData>;
  const project = (await server.listProjects()).find((one) => one.folder === folder);
  if (project === undefined) return [];
  await project.waitForParser();
  const { nodes, calls } = getGraph(project);
  const byOther = new Map<string, Call[]>();
  for (const call of calls) {
    if (call[side] !== key) continue;
    const other = side === 'to' ? call.from : call.to;
    byOther.set(other, [...(byOther.get(other) ?? []), call]);
  }
  return [...byOther].flatMap(([other, found]) => {
    const node = nodes.get(other);
    return node === undefined
      ? []
      : [{ item: toItem(server, project, node), fromRanges: found.map(({ spot }) => toRange(spot)) }];
  });
}
