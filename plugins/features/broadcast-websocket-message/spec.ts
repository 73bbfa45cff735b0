/** Sends the result of an actionable to connected clients. */
import type { ApiChange, ApiPart, ApiPlace } from '../../../contract/api.js';
import { createNameLookup, mapRows, omitNames, pickNames } from '../../../contract/forms.js';
import { asText, isObject } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { shape, slot } from '../../../contract/combinators.js';
import { isPathReturned, listUncoveredNames, readNames } from '../shared/listed-names.light.js';
import { relayErrors } from '../../relays/shared/fields.light.js';

const KIND = { say: 'the receivers are selected by `"broadcast_type"`', rename: 'broadcast_type' };
const EVENT = { say: 'the name of the event is `"action"`', rename: 'action' };
const TO = { say: 'the receivers are `"broadcast_to"`', rename: 'broadcast_to' };

const DATA = 'what is sent is the result of the actionable; `returnables` say what of it';
const ALL = 'receivers cannot be excluded; `"broadcast_type": "BULK"` lists the receivers';
const ROOM = (many: string) => ({ say: `the ${many} in \`"broadcast_to_room"\``, rename: 'broadcast_to_room' });
const MESSAGE = 'a message is sent by `"broadcast_websocket_message": {"broadcast_type": "ALL", "action": "..."}`';
const SENDS = { say: MESSAGE, rename: 'broadcast_websocket_message' };
const CONNECTED =
  'every resource answers over connections too, as soon as `websocket` in the config lets clients connect';
const ON_ACTIONABLE = `${MESSAGE} on an actionable`;

export default definePlugin({
  kind: 'feature',
  name: 'broadcast_websocket_message',
  since: '0.4.0',
  summary: 'Sends the result of the actionable to connected clients.',
  details: [
    'The message is `{uid, action, data}`: the `uid` of the receiver, the name of the event, and the result of this',
    'actionable. `data` contains the names in `returnables` of the actionable; without it, those in `returnables` of',
    'the resource; without both, everything except secret fields. The message is sent after the commit, never after a',
    'rollback, whatever started the work: a request, a connection, a job or the scheduler. A retried job may send it',
    'again.',
    '',
    'The response does not wait for the message and does not depend on it: a message that could not be sent is',
    'logged. The `relay` of the config passes it to other processes. A cached result of the actionable is sent like',
    'any other; a cached response of the resource sends nothing, because no actionable runs.',
  ].join('\n'),
  facts: { applies: 'when-present' },
  requires: ['broadcast:*', 'relay:*'],
  slots: {
    resource: shape(
      {},
      {
        mistaken: {
          broadcast: ON_ACTIONABLE,
          emit: ON_ACTIONABLE,
          notify: ON_ACTIONABLE,
          publish: ON_ACTIONABLE,
          websocket: CONNECTED,
          ws: CONNECTED,
          socket: CONNECTED,
          transport: CONNECTED,
          protocol: CONNECTED,
        },
      },
    ),
    actionable: shape(
      {
        broadcast_websocket_message: slot(['actionable.broadcast_websocket_message'], {
          doc: 'A message with the result, for connected clients.',
          form: '{"broadcast_type": "ALL", "action": "menu_changed"}',
          examples: [{ broadcast_type: 'SINGLE', action: 'order_shipped', broadcast_to: '$PAYLOAD.customer_id' }],
          mistaken: {
            type: KIND,
            mode: KIND,
            event: EVENT,
            name: EVENT,
            event_name: EVENT,
            to: TO,
            target: TO,
            targets: TO,
            receiver: TO,
            receivers: TO,
            uid: TO,
            uids: TO,
            users: TO,
            room: ROOM('room stands'),
            rooms: ROOM('rooms stand'),
            channel: ROOM('room stands'),
            channels: ROOM('rooms stand'),
            group: ROOM('room stands'),
            topic: EVENT,
            title: EVENT,
            recipients: TO,
            user: TO,
            user_id: TO,
            data: DATA,
            message: DATA,
            payload: DATA,
            body: DATA,
            content: DATA,
            returnables: `${DATA}, next to the message`,
            except: ALL,
            exclude: ALL,
            exclude_sender: ALL,
          },
        }),
      },
      {
        mistaken: {
          broadcast: SENDS,
          broadcast_ws_message: SENDS,
          broadcast_socket_message: SENDS,
          websocket_message: SENDS,
          websocket: SENDS,
          websocket_broadcast: SENDS,
          ws: SENDS,
          emit: SENDS,
          notify: SENDS,
          publish: SENDS,
          push: SENDS,
          send_message: SENDS,
        },
      },
    ),
  },
  check,
  openapi: describeApi,
  errors: {
    ...relayErrors,
    BRC_NAME: {
      severity: 'error',
      title: 'Event name with an accessor',
      message: 'The name of an event must be constant; accessors are not allowed in it.',
      help: 'Clients distinguish messages by `action`. Put values that change into the result, which is sent as `data`.',
    },
    BRC_OFF: {
      severity: 'warning',
      title: 'WebSocket disabled',
      message: 'No client receives this message: WebSocket is disabled in the config.',
      help: 'Write `"websocket": {"enabled": true}` into the config, or set ALLOW_WEBSOCKET_CONNECTIONS to true. Ignore this if another process has the connections.',
    },
    BRC_EVERYTHING: {
      severity: 'warning',
      title: 'Everything is sent',
      message: 'Neither this actionable nor the resource has `returnables`: every column but the secret ones is sent.',
      help: 'List the names that receivers need, next to the message.',
    },
    BRC_SECRET: {
      severity: 'error',
      title: 'Secret in a message',
      message: 'This sends the secret "{name}" to clients under another name.',
      help: 'List in `returnables` of the actionable what receivers need.',
    },
    BRC_NOTHING: {
      severity: 'warning',
      title: 'Nothing is sent',
      message:
        'The result of this actionable has none of the names in the `returnables` of the resource: `data` will be empty.',
      help: 'List what receivers need in `returnables` of the actionable itself.',
    },
  },
  examples: [
    {
      title: 'To all connections',
      json: { broadcast_websocket_message: { broadcast_type: 'ALL', action: 'menu_changed' } },
    },
    {
      title: 'To one receiver, with only the fields it needs',
      json: {
        payload_validation: [{ field: { id: { type: 'NUMBER' } } }],
        mode: 'RETURN',
        value: { id: '$PAYLOAD.id', state: 'shipped', margin: 7 },
        returnables: ['id', 'state'],
        broadcast_websocket_message: { broadcast_type: 'SINGLE', action: 'order_shipped', broadcast_to: '$PAYLOAD.id' },
      },
    },
  ],
  counterExamples: [
    {
      title: 'No `broadcast_type`',
      json: { broadcast_websocket_message: { action: 'menu_changed' } },
      code: 'DEF_REQUIRED',
      at: '/broadcast_websocket_message',
    },
    {
      title: 'Unknown type',
      json: { broadcast_websocket_message: { broadcast_type: 'SINGEL', action: 'menu_changed' } },
      code: 'DEF_UNKNOWN_PLUGIN',
      at: '/broadcast_websocket_message/broadcast_type',
    },
  ],
});

function describeApi({ value: { broadcast_websocket_message: written }, holder, root }: ApiPlace): ApiPart {
  const notes = ['Sends a message to connected clients.'];
  if (!isObject(written)) return { notes };
  const own = holder['returnables'] !== undefined;
  const above = listUncoveredNames(root['returnables']);
  const selectData: ApiChange['change'] = (forms, { secrets }) => {
    if (own) return forms;
    if (above === null) return mapRows(forms, (row) => omitNames(row, (name) => secrets.has(name)));
    return mapRows(forms, (row) => pickNames(above, createNameLookup(row)));
  };
  return {
    notes,
    events: [{ action: asText(written['action']), to: asText(written['broadcast_type']), data: selectData }],
  };
}

function check(place: CheckPlace): Finding[] {
  const written = place.value['broadcast_websocket_message'];
  const action = isObject(written) ? asText(written['action']) : '';
  const named = listAccessors(action).map(({ start, end }): Finding => {
    return { code: 'BRC_NAME', at: '/broadcast_websocket_message/action', span: [start, end] };
  });
  const off: Finding = { code: 'BRC_OFF', at: '/broadcast_websocket_message', key: true };
  return [...named, ...(place.connections === false ? [off] : []), ...checkShown(place), ...checkSecrets(place)];
}

/** Reports secrets of other results under names that messages do not omit. */
function checkSecrets({ holder, root, actions }: CheckPlace): Finding[] {
  const listed = readNames(holder['returnables'] ?? root['returnables']);
  const open = findOwnAction({ holder, root, actions })?.openSecrets ?? [];
  return open.flatMap(({ at, name, path }) =>
    isPathReturned(path, listed) ? [{ code: 'BRC_SECRET', at, params: { name } }] : [],
  );
}

function findOwnAction({ holder, root, actions }: Pick<CheckPlace, 'holder' | 'root' | 'actions'>) {
  const list: readonly unknown[] = Array.isArray(root['actionables']) ? root['actionables'] : [];
  const index = list.findIndex((one) => isObject(one) && one['id'] === holder['id']);
  return actions.find((one) => one.index === index);
}

/** Reports what is sent of the result, only where the columns are certain. */
function checkShown({ holder, root, actions }: CheckPlace): Finding[] {
  if (holder['returnables'] !== undefined) return [];
  const action = findOwnAction({ holder, root, actions });
  if (action === undefined) return [];
  const at = '/broadcast_websocket_message';
  const { answers } = action;
  const above: unknown = root['returnables'];
  if (!Array.isArray(above)) {
    const tellsAll = action.models.length > 0 && answers?.length !== 0;
    return tellsAll ? [{ code: 'BRC_EVERYTHING', at, key: true }] : [];
  }
  const firsts = new Set((above as readonly unknown[]).map((name) => asText(name).split('.')[0]));
  const isEmpty = answers !== null && answers.length > 0 && !answers.some((name) => firsts.has(name));
  return isEmpty ? [{ code: 'BRC_NOTHING', at, key: true }] : [];
}
