/**
 * Follows the values of a column over all resources: where they come from, what is done with them, and where they leave. Uses the
 * resolver with which the checker follows secrets (`analysis/secret-flow.ts`), asked for this column instead.
 */
import type { OpenapiInput } from './openapi/scope.js';
import type { DocumentQuery, SqlText } from '../analysis/facts.js';
import { listExtractedFrom } from '../analysis/extracted-names.js';
import type { LinkedAction, LinkedResource } from '../analysis/linked-resource.js';
import type { Analysis } from '../analysis/analysis.js';
import type { ActionModel, Definition } from '../analysis/model.js';
import { isInside, type Span } from '../analysis/report.js';
import { getLookup } from '../analysis/symbols/lookup.js';
import { findOrigin } from '../analysis/symbols/values.js';
import { listValueReads, type ValueRead } from '../analysis/value-reads.js';
import { listQueryFields } from '../analysis/collect-queries.js';
import { findMember, type LocatedNode } from '../source/tree.js';
import { traceAnswer, traceClaims, traceMessages } from './value-exits.js';
import { createTrace, listOwnNames, locateNode, type FlowKind, type FlowStep, type Trace } from './value-trace.js';

export interface ColumnFlow {
  readonly model: string;
  readonly column: string;
  readonly steps: readonly FlowStep[];
  /** Other columns that the value is written to. */
  readonly next: readonly { readonly model: string; readonly column: string }[];
}

export function traceColumn(input: OpenapiInput, model: string, column: string): ColumnFlow {
  const steps: FlowStep[] = [];
  const next = new Map<string, ColumnFlow['next'][number]>();
  for (const group of input.analysis.groups) {
    const isTouched = group.linked.some(({ actions }) =>
      actions.some(({ models, behind }) => models.includes(model) || behind.models.includes(model)),
    );
    if (isTouched) traceGroup(createTrace(input, group, model, column), steps, next);
  }
  return { model, column, steps, next: [...next.values()] };
}

/** The same for a name of a resource: a field of its payload, a value of a result, a claim. */
export function traceName(
  input: OpenapiInput,
  definition: Definition,
  name: string,
): Omit<ColumnFlow, 'model' | 'column'> {
  const { analysis, registry } = input;
  const group = analysis.groups.find(({ linked }) => linked.some((one) => one.definition === definition));
  const resource = group?.linked.find((one) => one.definition === definition);
  if (group === undefined || resource === undefined) return { steps: [], next: [] };
  const steps = new Map<string, FlowStep>();
  const next = new Map<string, ColumnFlow['next'][number]>();
  const addNext = (model: string, column: string): void => void next.set(`${model}.${column}`, { model, column });
  for (const { key, path } of listExtractedFrom(resource, [name])) {
    const source = getLookup(analysis).action(key);
    const column = source === undefined ? null : findSourceColumn(analysis, source, path[0] ?? '');
    if (column !== null) addNext(column.model, column.column);
  }
  for (const read of listValueReads(resource, registry)) {
    const action = resource.actions.find(({ key }) => key === read.action);
    if (read.path[0] !== name || action === undefined) continue;
    const model = read.query === null ? undefined : findQueryModel(analysis, read.query);
    const isBound = read.columns.length > 0 && model !== undefined;
    const isSent = definition.finds.accessors.some(({ node, sent }) => node === read.node && sent === true);
    const kind = !isBound
      ? isSent
        ? 'sent'
        : 'passed'
      : listWrittenColumns(analysis, read).length > 0
        ? 'written'
        : 'compared';
    for (const step of traceRead(resource, action, read, kind))
      steps.set(`${step.kind} ${step.spot.start} ${step.place}`, step);
    if (model !== undefined) for (const column of read.columns) addNext(model, column.split('.')[0] ?? column);
  }
  return { steps: [...steps.values()], next: [...next.values()] };
}

/** The column that a name of a result has the value of, also under an alias. */
function findSourceColumn(analysis: Analysis, action: ActionModel, name: string): ColumnFlow['next'][number] | null {
  const statement = action.definition.finds.statements.find(({ node }) => isInside(node, action.node));
  const alias = statement && analysis.names.get(statement.node)?.aliased.get(name);
  if (typeof alias?.model === 'string') return { model: alias.model, column: alias.name };
  const model = findOrigin(analysis, action, name);
  return model === null || model === 'made' ? null : { model, column: name };
}

function traceGroup(trace: Trace, steps: FlowStep[], next: Map<string, ColumnFlow['next'][number]>): void {
  const { input, group } = trace;
  const { analysis } = input;
  for (const resource of group.linked) {
    const reads = listValueReads(resource, input.registry);
    for (const action of resource.actions) {
      const own = reads.filter((read) => read.action === action.key);
      for (const read of own) {
        if (!isOfColumn(trace, read)) continue;
        const written = listWrittenColumns(analysis, read).map(({ column }) => column.split('.')[0]);
        steps.push(...traceRead(resource, action, read, written.includes(trace.column) ? 'written' : 'compared'));
      }
      const query = findQuery(resource, action);
      const isNamed = steps.some(({ kind, place }) => kind === 'written' && place === action.key);
      if (
        query !== undefined &&
        !isNamed &&
        findQueryModel(analysis, query) === trace.model &&
        isWritten(query, trace.column)
      )
        steps.push({
          ...{ kind: 'written', place: action.key, name: trace.column, detail: 'by the statement itself' },
          spot: locateNode(resource, query.node),
        });
      // The row that a statement writes is its result, too.
      const isWriter = steps.some(({ kind, place }) => kind === 'written' && place === action.key);
      for (const name of isWriter ? [] : listOwnNames(trace, resource, action).slice(0, 1))
        steps.push({
          kind: 'read',
          place: action.key,
          name,
          detail: '',
          spot: locateNode(resource, query?.node ?? action.node),
        });
      const passed = trace.flow.listReads(resource, action);
      const sent = new Set(trace.flow.listSent(resource, action).map(({ node }) => node));
      for (const { node, name } of passed) {
        const read = own.find((one) => one.node === node);
        const spot = read?.spot ?? locateNode(resource, node);
        const kind = sent.has(node) ? 'sent' : 'passed';
        steps.push({ kind, place: action.key, name, detail: kind === 'sent' ? 'another system' : '', spot });
        for (const other of read === undefined ? [] : listWrittenColumns(analysis, read))
          next.set(`${other.model}.${other.column}`, other);
      }
      steps.push(...traceMessages(trace, resource, action));
    }
    steps.push(...traceAnswer(trace, resource), ...traceClaims(trace, resource));
  }
}

function findFieldAround({ definition, actions }: LinkedResource, span: Span): string {
  const holder = actions.find(({ node }) => isInside(span, node))?.node ?? definition.node;
  return holder.members.find(({ value }) => value !== null && isInside(span, value))?.key ?? '';
}

const findQuery = (
  { definition: { finds } }: LinkedResource,
  { node }: LinkedAction,
): SqlText | DocumentQuery | undefined =>
  [...finds.statements, ...finds.documents].find((one) => isInside(one.node, node));

const isWritten = (query: SqlText | DocumentQuery, name: string): boolean =>
  'scan' in query
    ? query.language.listWrittenParts(query.scan).some(({ column }) => column === name)
    : listQueryFields(query).some(({ path, written }) => written === true && path.split('.')[0] === name);

/** The model that a query writes, or the only one that it reads. */
function findQueryModel(analysis: Analysis, query: SqlText | DocumentQuery): string | undefined {
  const { model } = getLookup(analysis);
  if (!('scan' in query)) return model(query.collection);
  const { target, tables } = query.scan;
  return model((target ?? tables[0])?.name ?? '');
}

const isOfColumn = (trace: Trace, { query, columns }: ValueRead): boolean =>
  query !== null &&
  columns.some((name) => name.split('.')[0] === trace.column) &&
  findQueryModel(trace.input.analysis, query) === trace.model;

function listWrittenColumns(analysis: Analysis, { query, columns, node }: ValueRead): ColumnFlow['next'] {
  const model = query === null ? undefined : findQueryModel(analysis, query);
  if (query === null || model === undefined) return [];
  const isWritten = createWriteTest(query, node);
  return columns.filter(isWritten).map((column) => ({ model, column }));
}

function createWriteTest(query: SqlText | DocumentQuery, node: LocatedNode): (column: string) => boolean {
  if (!('scan' in query)) {
    const fields = listQueryFields(query).flatMap(({ path, written }) => (written ? [path] : []));
    return (column) => fields.some((path) => path === column || path.startsWith(`${column}.`)) || isInsert(query);
  }
  const n = query.parameters.findIndex((one) => isInside(node, one)) + 1;
  const places = query.scan.placeholders.filter((one) => one.n === n);
  const parts = query.language
    .listWrittenParts(query.scan)
    .filter(({ start, end }) => places.some((one) => start <= one.start && one.end <= end));
  return (column) => parts.some((part) => part.column === column);
}

/** Its parameters are the written fields themselves. */
const isInsert = ({ around }: DocumentQuery): boolean => findMember(around, 'action')?.value?.scalar === 'INSERT';

function traceRead(resource: LinkedResource, action: LinkedAction, read: ValueRead, kind: FlowKind): FlowStep[] {
  const { definition } = resource;
  const path = read.path.join('.');
  const name = path === '' ? 'payload' : path;
  const place = action.key;
  const last: FlowStep = { kind, place, name, detail: kind === 'sent' ? 'another system' : '', spot: read.spot };
  if (read.source !== null && read.source.sort !== 'payload') return [last];
  const rule = definition.finds.declarations.find((one) => one.symbol === 'payload-field' && one.name === read.path[0]);
  const received: FlowStep =
    rule === undefined
      ? { kind: 'received', place: resource.id, name, detail: 'without a rule', spot: read.spot }
      : { kind: 'validated', place: resource.id, name, detail: findFieldAround(resource, rule.spot), spot: rule.spot };
  const protections = definition.finds.references.flatMap(({ refers, name: field, node, spot }): FlowStep[] => {
    if (refers.symbol !== 'payload-field' || refers.named !== true || String(field) !== path) return [];
    const owner = resource.actions.find((one) => isInside(node, one.node));
    if (owner === undefined || owner.index > action.index) return [];
    return [{ kind: 'concealed', place: owner.key, name, detail: findFieldAround(resource, node), spot }];
  });
  const queued: FlowStep[] = action.timing.later
    ? [{ kind: 'queued', place, name, detail: 'waits in a job', spot: action.spot }]
    : [];
  return [received, ...protections, ...queued, last];
}
