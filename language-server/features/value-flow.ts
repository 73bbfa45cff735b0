/**
 * The custom request `lintel/valueFlow`: where the value of the name at the cursor comes from and where it goes, over all resources.
 * Computed when it is asked for.
 */
import { join } from 'node:path';
import type { Position, Range } from 'vscode-languageserver';
import type { traceColumn } from '../../language/export/value-flow.js';
import type { FlowKind, FlowStep } from '../../language/export/value-trace.js';
import type { OpenapiInput } from '../../language/export/openapi/scope.js';
import { toRange, type NamedSymbol } from '../../language/analysis/symbols.js';
import type { DocumentContext } from '../document-context.js';
import { findSymbolAt, getSymbolIndex } from '../navigation/symbol-locations.js';
import { createRequestHandler, type Feature, type ServerContext } from '../server-context.js';
import type { Project } from '../project.js';

export interface ValueFlowParams {
  readonly textDocument: { readonly uri: string };
  readonly position: Position;
}

export interface ShownStep {
  readonly kind: FlowKind;
  /** A sentence: `validated in sign-up`. */
  readonly label: string;
  readonly detail: string;
  /** The value leaves the project here. */
  readonly leaves: boolean;
  /** Key of the actionable, or id of the resource. */
  readonly place: string;
  readonly uri: string;
  readonly range: Range;
}

export interface ValueFlow {
  readonly name: string;
  /** The name itself, then each column that holds the value. */
  readonly groups: readonly { readonly title: string; readonly steps: readonly ShownStep[] }[];
}

/** Columns that are followed. */
const MANY = 12;

export const valueFlow: Feature = {
  capabilities: () => ({}),
  attach(server) {
    server.connection.onRequest(
      'lintel/valueFlow',
      createRequestHandler(server, null, async (params: Partial<ValueFlowParams> | null): Promise<ValueFlow | null> => {
        const { textDocument, position } = params ?? {};
        const view = textDocument === undefined ? null : await server.loadDocument(textDocument.uri);
        return view === null || position === undefined ? null : findValueFlow(server, view, position);
      }),
    );
  },
};

export function createFlowInput(project: Project): OpenapiInput {
  const { analysis, config } = project.getSnapshot();
  return { analysis, registry: project.registry, config, info: { title: '', version: '' }, sql: project.sql };
}

interface Column {
  readonly model: string;
  readonly column: string;
}

const NAMES: readonly NamedSymbol['sort'][] = ['payload', 'name', 'generated', 'claim'];

async function findValueFlow(
  server: ServerContext,
  view: DocumentContext,
  position: Position,
): Promise<ValueFlow | null> {
  const { LEAVING, traceColumn, traceName } = await import('../request-samples.js');
  const { project } = view;
  const symbol = findSymbolAt(view, position)?.symbol;
  if (symbol === undefined) return null;
  const input = createFlowInput(project);
  const toGroup = (title: string, steps: readonly FlowStep[]) => ({
    title,
    steps: sortSteps(steps).map((step) => toShownStep(server, project, step, LEAVING.has(step.kind))),
  });
  if (symbol.sort === 'field')
    return {
      name: symbol.name,
      groups: traceColumns(traceColumn, input, [{ model: symbol.within, column: symbol.name }], toGroup),
    };
  if (!NAMES.includes(symbol.sort)) return null;
  const definition = view.definitions.find(({ doc, node }) => {
    const { start, end } = toRange({ doc, start: node.start, end: node.end });
    return start.line <= position.line && position.line <= end.line;
  });
  const [root = symbol.name] = symbol.name.split('.');
  const own = definition === undefined ? null : traceName(input, definition, root);
  const alike = symbol.alike.flatMap((key) => getSymbolIndex(project).symbols.get(key) ?? []);
  const columns = alike.flatMap(({ sort, within, name }) =>
    sort === 'field' ? [{ model: within, column: name }] : [],
  );
  return {
    name: symbol.name,
    groups: [
      ...(own === null || own.steps.length === 0 ? [] : [toGroup(root, own.steps)]),
      ...traceColumns(traceColumn, input, [...(own?.next ?? []), ...columns], toGroup),
    ],
  };
}

/** Follows the value into other columns. */
function traceColumns(
  trace: typeof traceColumn,
  input: OpenapiInput,
  from: readonly Column[],
  toGroup: (title: string, steps: readonly FlowStep[]) => ValueFlow['groups'][number],
): ValueFlow['groups'][number][] {
  const seen = new Set<string>();
  const waiting = [...from];
  const groups: ValueFlow['groups'][number][] = [];
  for (let one = waiting.shift(); one !== undefined && groups.length < MANY; one = waiting.shift()) {
    const title = `${one.model}.${one.column}`;
    if (seen.has(title)) continue;
    seen.add(title);
    const { steps, next } = trace(input, one.model, one.column);
    groups.push(toGroup(title, steps));
    waiting.push(...next);
  }
  return groups;
}

const ORDER: readonly FlowKind[] = [
  'validated',
  'received',
  'concealed',
  'queued',
  'written',
  'compared',
  'read',
  'passed',
  'issued',
  'answered',
  'broadcast',
  'sent',
];

const sortSteps = (steps: readonly FlowStep[]): FlowStep[] =>
  [...steps].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));

const WORDS: Readonly<Record<FlowKind, string>> = {
  received: 'received by',
  validated: 'validated in',
  concealed: 'hashed or encrypted in',
  queued: 'queued by',
  written: 'written by',
  compared: 'compared in',
  read: 'read by',
  passed: 'passed on in',
  answered: 'answered by',
  broadcast: 'broadcast by',
  issued: 'issued in a token by',
  sent: 'sent by',
};

function toShownStep(
  server: ServerContext,
  { folder }: Project,
  { kind, place, name, detail, spot }: FlowStep,
  leaves: boolean,
): ShownStep {
  return {
    kind,
    label: `${WORDS[kind]} ${place}`,
    detail: [`as ${name}`, detail].filter((part) => part !== '').join(', '),
    leaves,
    place,
    uri: server.toClientUri(join(folder, spot.doc.file)),
    range: toRange(spot),
  };
}
