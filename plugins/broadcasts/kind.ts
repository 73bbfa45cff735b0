/** Kind `broadcast`: resolves the receivers of a message, by one reader created at load. */
import type { Target } from '../../contract/delivery.js';
import type { Json } from '../../contract/json.js';
import { defineKind } from '../../contract/kind.js';
import type { PlanTools, Reader } from '../../contract/plan.js';
import { shape, text } from '../../contract/combinators.js';
import { wrapInActionable } from '../shared/examples.light.js';

export interface Broadcast {
  /**
   * `value` is the whole `broadcast_websocket_message`. The reader throws a Fault for an invalid receiver; a list may
   * be empty.
   */
  plan(value: Readonly<Record<string, Json>>, tools: PlanTools): Reader<Target>;
}

/** Maximum characters of an event name. */
const MAX_ACTION = 128;

export const broadcast = defineKind<Broadcast>({
  kind: 'broadcast',
  title: 'Broadcast',
  summary: 'The receivers of a message to connected clients.',
  slots: ['actionable.broadcast_websocket_message'],
  select: { by: 'field', field: 'broadcast_type' },
  common: shape({
    action: text({
      doc: 'Name of the event, by which clients distinguish messages. It is a constant: accessors are not allowed.',
      examples: ['order_shipped'],
      declares: 'event',
    })
      .required()
      .min(1)
      .max(MAX_ACTION),
  }),
  facts: {
    realm: {
      doc: 'Receivers are identified by `uid`: name of the field with the resource whose guard authenticated them.',
      type: 'string',
      required: false,
    },
    rooms: {
      doc: 'Receivers are rooms: name of the field with the names of the rooms. A room that no resource joins is a warning.',
      type: 'string',
      required: false,
    },
    everybody: {
      doc: 'Every connection receives the message, with or without a token.',
      type: 'boolean',
      required: false,
    },
    receivers: { doc: 'Name of the field with the receivers.', type: 'string', required: false },
  },
  handle: ['plan'],
  host: (fragment) => {
    const host = wrapInActionable({ broadcast_websocket_message: fragment });
    return { ...host, at: `${host.at}/broadcast_websocket_message` };
  },
});
