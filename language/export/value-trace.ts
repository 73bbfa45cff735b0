/** What following a column needs, and the names under which results have its value (`value-flow.ts`). */
import type { OpenapiInput } from './openapi/scope.js';
import { findResultColumns } from '../analysis/checks/uses.js';
import type { LinkedGroup } from '../analysis/link-group.js';
import type { LinkedAction, LinkedResource } from '../analysis/linked-resource.js';
import type { SourceLocation, Span } from '../analysis/report.js';
import { createSecretTest, type SecretContext } from '../analysis/result-secrets.js';
import { createSecretFlow, type SecretFlow } from '../analysis/secret-flow.js';

export type FlowKind =
  | 'received'
  | 'validated'
  | 'concealed'
  | 'queued'
  | 'written'
  | 'compared'
  | 'read'
  | 'passed'
  | 'answered'
  | 'broadcast'
  | 'issued'
  | 'sent';

export interface FlowStep {
  readonly kind: FlowKind;
  /** The key of the actionable, or the id of the resource. */
  readonly place: string;
  /** What the value is called there. */
  readonly name: string;
  /** The receivers of the value, or what protects or defers it. */
  readonly detail: string;
  readonly spot: SourceLocation;
}

const NO_PROTECTED: readonly string[] = [];

export interface Trace {
  readonly input: OpenapiInput;
  readonly group: LinkedGroup;
  readonly model: string;
  readonly column: string;
  readonly context: SecretContext;
  readonly flow: SecretFlow;
}

export function createTrace(input: OpenapiInput, group: LinkedGroup, model: string, column: string): Trace {
  const { registry, analysis } = input;
  const ofModel = (name: string): readonly string[] => (name === model ? [column] : NO_PROTECTED);
  // Without a known statement no result has the column for certain.
  const context: SecretContext = { ofModel, named: new Set(), own: NO_PROTECTED };
  const fields = new Map(analysis.models.map((one) => [one.name, one.fields.map(({ name }) => name.toLowerCase())]));
  const listColumns = ({ models }: LinkedAction) => new Set(models.flatMap((name) => fields.get(name) ?? []));
  const { linked, queries } = group;
  const flow = createSecretFlow(linked, { registry, queries, listColumns, describeSecrets: () => context });
  return { input, group, model, column, context, flow };
}

export const locateNode = ({ definition: { doc } }: LinkedResource, { start, end }: Span) => ({
  doc,
  start,
  end,
});

/** Names in the result of the actionable that have the value: of its own query, or passed on from another result. */
export function listHeldNames(trace: Trace, resource: LinkedResource, action: LinkedAction): readonly string[] {
  const others = trace.flow.listOpenSecrets(resource, action).map(({ path }) => path.join('.'));
  return [...listOwnNames(trace, resource, action), ...others];
}

export function listOwnNames(
  { group, context }: Trace,
  resource: LinkedResource,
  action: LinkedAction,
): readonly string[] {
  const queried = group.queries.get(resource.definition);
  const columns = queried === undefined ? null : findResultColumns(resource, action.key, queried.answers);
  const isColumn = createSecretTest(resource, action, queried, context);
  return (columns ?? []).filter(isColumn);
}
