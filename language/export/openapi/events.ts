/** The messages to connected clients, with the schema of what they contain. */
import type { ApiEvent, ApiField, ApiResults, Forms, JsonSchema } from '../../../contract/api.js';
import { ANY, combineForms } from '../../../contract/forms.js';
import { ResourcePhase } from '../../../contract/slot.js';
import type { ActionModel, ResourceModel } from '../../analysis/model.js';
import { isInside, type Span } from '../../analysis/report.js';
import { toSharedName } from '../../analysis/shared-names.js';
import {
  applyChanges,
  collectSecretNames,
  createPayloadReader,
  describePlaces,
  describeResource,
  listChanges,
} from './resource.js';
import type { DescribedUse, Scope } from './scope.js';

export interface DescribedEvent extends Pick<ApiEvent, 'action' | 'to'> {
  readonly data: JsonSchema;
  /** Names of rooms that receive it; differences in accessors do not count. */
  readonly rooms: readonly string[];
}

/** Includes events of scheduled and deferred work. */
export const listEvents = (scope: Scope, resource: ResourceModel): readonly DescribedEvent[] =>
  resource.actions.flatMap((action) => {
    const around = { resource, action, payload: returnNull };
    const described = describePlaces(scope, around, action.places, action.node);
    const events = described.flatMap(({ part }) => part.events ?? []);
    if (events.length === 0) return [];
    const fields = describeResource(scope, resource)?.fields ?? new Map<string, ApiField>();
    const { forms, results } = deriveResult(scope, resource, action, createPayloadReader(fields, resource.actions));
    const holders = described.flatMap(({ spec, place, direct }) =>
      direct || spec.facts?.rooms === undefined ? [] : [place.node],
    );
    const rooms = [...new Set(holders.flatMap((node) => listRooms(resource, 'use', node)))];
    return events.map(({ action: name, to, data }) => {
      const sent = combineForms(data === undefined ? forms : data(forms, results));
      return { action: name, to, data: sent, rooms };
    });
  });

/** The rooms that the connection of a call joins. */
export const listJoinedRooms = (resource: ResourceModel): readonly string[] =>
  listRooms(resource, 'declaration', resource.definition.node);

const listRooms = ({ definition }: ResourceModel, role: 'declaration' | 'use', holder: Span): string[] =>
  definition.finds.sharedNames.flatMap(({ symbol, role: own, name, node }) =>
    symbol === 'room' && own === role && isInside(node, holder) ? [toSharedName(name)] : [],
  );

interface ActionResult {
  readonly forms: Forms;
  readonly results: ApiResults;
}

/** The result of one actionable; others are derived when it is merged with them. */
function deriveResult(
  scope: Scope,
  resource: ResourceModel,
  action: ActionModel,
  payload: DescribedUse['payload'],
): ActionResult {
  const deriveOwn = (one: ActionModel, around: readonly ActionModel[]): ActionResult => {
    const results: ApiResults = {
      others: [],
      action: (id) => {
        const other = resource.actions.find((each) => each.resource === resource.id && each.id === id);
        return other === undefined || around.includes(other) ? null : deriveOwn(other, [...around, other]).forms;
      },
      names: new Set([...resource.names, ...resource.generated]),
      secrets: collectSecretNames(scope, [one]),
      main: one.value,
    };
    const described = describePlaces(scope, { resource, action: one, payload }, one.places, one.node);
    const changes = listChanges(described).filter(({ phase }) => phase < ResourcePhase.ADMIT);
    return { forms: applyChanges(changes, [ANY], results), results };
  };
  return deriveOwn(action, [action]);
}

const returnNull = (): null => null;
