/** Kind `relay`: carries messages for clients between processes, and retains recent ones for reconnecting clients. */
import type { Delivery } from '../../contract/delivery.js';
import { defineKind } from '../../contract/kind.js';

export interface Relay {
  /**
   * Publishes a message to all processes; each passes it to `running.deliver` once, in the same order. Rejects with
   * RLY_AWAY within a second when others are unreachable (this process delivers it; a relay that retains messages
   * does not reject), and with RLY_LARGE when it is too large.
   */
  publish(message: Omit<Delivery, 'id'>): Promise<void>;
  /**
   * Retained messages, oldest first, for all receivers; null where the id is too old or unknown, or none are
   * retained.
   */
  listSince(id: string): Promise<readonly Delivery[] | null>;
}

const USE = { say: 'the plugin is set by `"use"`', rename: 'use' };

export const relay = defineKind<Relay>({
  kind: 'relay',
  title: 'Relay',
  summary: 'Carries messages for connected clients between processes.',
  slots: ['config.relay'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'relay',
    doc: 'Carries messages for connected clients between processes.',
    aliases: ['broadcast', 'broadcasts', 'pubsub', 'pub_sub', 'messages'],
    many: false,
    load: 'when-required',
    tested: { use: 'local' },
    default: ({ has }) => (has('REDIS_URL') ? { use: 'redis', url: '$ENV.REDIS_URL' } : 'local'),
  },
  mistaken: {
    'config.relay': {
      type: USE,
      kind: USE,
      driver: USE,
      provider: USE,
      backend: USE,
      adapter: USE,
      history: { say: 'missed messages are stored with `"replay": true`', rename: 'replay' },
    },
  },
  facts: {
    shared: {
      doc: 'Messages reach the clients of all processes with the same config.',
      type: 'boolean',
      required: true,
    },
  },
  handle: ['publish', 'listSince'],
  host: (fragment) => ({ file: 'config', json: { relay: fragment }, at: '/relay' }),
});
