/** Describes WebSocket clients as the extension `x-lintel-websocket`, because OpenAPI does not cover them. */
import type { JsonSchema } from '../../../contract/api.js';
import { combineForms, splitForms } from '../../../contract/forms.js';
import type { JsonObject } from '../../../contract/json.js';
import type { ResourceModel } from '../../analysis/model.js';
import type { WebSocketConfig } from '../../../contract/websocket-config.js';
import { formatSharedName } from '../../analysis/shared-names.js';
import { listEvents, listJoinedRooms } from './events.js';
import { nameObjects, nameOperations, type NamedSchemas } from './names.js';
import type { ResourceDescription } from './resource.js';
import type { Scope } from './scope.js';

export interface WebSocketDescription {
  readonly extension: JsonObject;
  /** Markdown, because documentation pages do not show extensions. */
  readonly text: string;
}

export type Served = readonly (readonly [ResourceModel, ResourceDescription])[];

/** Returns null if WebSockets are disabled. */
export function describeWebSocket(scope: Scope, served: Served, schemas: NamedSchemas): WebSocketDescription | null {
  const { websocket } = scope.input.config;
  if (!websocket.enabled) return null;
  const calls = served.flatMap(([{ id }, { requestOnly }]) => (requestOnly ? [] : [id]));
  const events = collectEvents(scope);
  const names = nameOperations(events.map(({ action }) => action));
  return {
    extension: {
      path: websocket.path,
      query: createQueryParameters(websocket),
      message: MESSAGE,
      answer: ANSWER,
      event: EVENT,
      calls,
      events: events.map(({ action, to, resources, data }) => ({
        action,
        to,
        resources,
        // `money_received`: `MoneyReceivedEvent`.
        data: nameObjects(schemas, `${names.get(action) ?? ''}Event`, data),
      })),
      joins: listJoins(served, events),
    },
    text: [
      `Clients may stay connected (WebSocket at \`${websocket.path}\`) and call over the connection: ` +
        `\`{"resource": "${calls[0] ?? 'id'}", "action": "any name", "request_id": "1", "payload": {}}\`. ` +
        'The answer repeats `action` and `request_id`, with `data` or a problem in `error`.',
      ...(calls.length < served.length ? [`Over HTTP alone: ${formatNames(listRequestOnly(served))}.`] : []),
      ...(events.length > 0 ? [`Connected clients hear:\n\n${events.map(formatEvent).join('\n')}`] : []),
    ].join('\n\n'),
  };
}

const listRequestOnly = (served: Served): string[] =>
  served.flatMap(([{ id }, { requestOnly }]) => (requestOnly ? [id] : []));
const formatNames = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

interface EventSummary {
  readonly action: string;
  readonly to: readonly string[];
  readonly resources: readonly string[];
  readonly data: JsonSchema;
  readonly rooms: ReadonlySet<string>;
}

const formatEvent = ({ action, to, resources }: EventSummary): string =>
  `- \`${action}\` (${to.join(', ')}), sent by ${formatNames(resources)}`;

/** Sorted by name. */
function collectEvents(scope: Scope): EventSummary[] {
  const sound = scope.input.analysis.resources.filter((resource) => resource.sound);
  const all = sound.flatMap((resource) =>
    listEvents(scope, resource).map((event) => ({ ...event, resource: resource.id })),
  );
  return [...new Set(all.map(({ action }) => action))].sort().map((action) => {
    const own = all.filter((event) => event.action === action);
    return {
      action,
      to: [...new Set(own.map(({ to }) => to))].sort(),
      resources: [...new Set(own.map(({ resource }) => resource))].sort(),
      data: combineForms(own.flatMap(({ data }) => splitForms(data))),
      rooms: new Set(own.flatMap(({ rooms }) => rooms)),
    };
  });
}

/** Resources by which a connection joins rooms, with the events that are sent to these. */
const listJoins = (served: Served, events: readonly EventSummary[]): JsonObject[] =>
  served.flatMap(([resource]) => {
    const rooms = listJoinedRooms(resource);
    if (rooms.length === 0) return [];
    const received = events.filter((event) => rooms.some((room) => event.rooms.has(room)));
    return [
      { resource: resource.id, rooms: rooms.map(formatSharedName), events: received.map(({ action }) => action) },
    ];
  });

const createQueryParameters = ({ force_uid: required }: WebSocketConfig): JsonObject[] => [
  {
    name: 'uid',
    required,
    description: 'The address for messages to this client. If callers have tokens, the token must contain it.',
    schema: TEXT,
  },
  {
    name: 'last_id',
    required: false,
    description: 'The `id` of the last event that this client saw: what it has missed since is sent first.',
    schema: TEXT,
  },
];

const TEXT: JsonObject = { type: 'string' };
const UID: JsonObject = { type: ['string', 'null'] };

const MESSAGE: JsonObject = {
  type: 'object',
  required: ['resource'],
  properties: {
    resource: { type: 'string', description: 'Id or path of a resource.' },
    action: {
      type: ['string', 'null'],
      maxLength: 256,
      description: 'Whatever the client calls this; repeated in the answer.',
    },
    request_id: { type: ['string', 'null'], maxLength: 256, description: 'Repeated in the answer.' },
    payload: { description: 'What would be the body of a request.' },
  },
};

const ANSWER: JsonObject = {
  type: 'object',
  required: ['uid', 'action'],
  properties: {
    uid: UID,
    action: { type: ['string', 'null'] },
    request_id: TEXT,
    data: { description: 'What would be the body of the answer.' },
    error: { $ref: '#/components/schemas/Problem' },
  },
  oneOf: [{ required: ['data'] }, { required: ['error'] }],
};

const EVENT: JsonObject = {
  type: 'object',
  required: ['uid', 'action', 'data'],
  properties: {
    uid: UID,
    action: { type: 'string', description: 'The name of the event.' },
    data: { description: 'What its definition lists of the result.' },
    id: { type: 'string', description: 'Where to go on after a pause; only where the config keeps messages.' },
  },
};
