/** Describes WebSocket clients as the extension `x-lintel-websocket`, because OpenAPI does not cover them. */
import type { ApiEvent } from '../../../contract/api.js';
import type { JsonObject } from '../../../contract/json.js';
import type { ResourceModel } from '../../analysis/model.js';
import type { WebSocketConfig } from '../../../contract/websocket-config.js';
import { isInside } from '../../analysis/report.js';
import type { ResourceDescription } from './resource.js';
import { describePlugin, type Scope } from './scope.js';

export interface WebSocketDescription {
  readonly extension: JsonObject;
  /** Markdown, because documentation pages do not show extensions. */
  readonly text: string;
}

export type Served = readonly (readonly [ResourceModel, ResourceDescription])[];

/** Returns null if WebSockets are disabled. */
export function describeWebSocket(scope: Scope, served: Served): WebSocketDescription | null {
  const { websocket } = scope.input.config;
  if (!websocket.enabled) return null;
  const calls = served.flatMap(([{ id }, { requestOnly }]) => (requestOnly ? [] : [id]));
  const events = collectEvents(scope);
  return {
    extension: {
      path: websocket.path,
      query: createQueryParameters(websocket),
      message: MESSAGE,
      answer: ANSWER,
      event: EVENT,
      calls,
      events: events.map(({ action, to, resources }) => ({ action, to, resources })),
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
}

const formatEvent = ({ action, to, resources }: EventSummary): string =>
  `- \`${action}\` (${to.join(', ')}), sent by ${formatNames(resources)}`;

/** Sorted by name; includes events of scheduled work. */
function collectEvents(scope: Scope): EventSummary[] {
  const found = new Map<string, { to: Set<string>; resources: Set<string> }>();
  const sound = scope.input.analysis.resources.filter((resource) => resource.sound);
  for (const resource of sound) {
    for (const { action, to } of listEvents(scope, resource)) {
      const known = found.get(action) ?? { to: new Set(), resources: new Set() };
      found.set(action, known);
      known.to.add(to);
      known.resources.add(resource.id);
    }
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([action, { to, resources }]) => ({ action, to: [...to].sort(), resources: [...resources].sort() }));
}

export function listEvents(scope: Scope, resource: ResourceModel): readonly ApiEvent[] {
  return resource.definition.finds.places.flatMap((place) => {
    const spec = scope.registry.plugins.get(place.plugin);
    if (spec === undefined) return [];
    const { slot, value, holder } = place;
    const action = resource.actions.find(({ node }) => isInside(place.node, node)) ?? null;
    return describePlugin(scope, spec, { slot, value, holder, resource, action, payload: () => null }).events ?? [];
  });
}

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
